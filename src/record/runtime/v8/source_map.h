// SPDX-License-Identifier: Apache-2.0
//
// Source maps (version 3, ECMA-426): where the text of a bundle or of transpiled JavaScript came
// from.
//
//   FLARE_ASSIGN(const SourceMap map, SourceMap::Load("/srv/dist/app.js", ""));
//   if (const auto original = map.Find({.line = 1, .column = 4711})) Use(original->file, ...);
//
// Immutable. Files may come from anybody: all sizes are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::record::runtime {

// From 1, as V8 reports them.
struct SourcePlace {
  int64_t line = 0;
  int64_t column = 0;
};

struct OriginalPlace {
  std::string_view file;  // valid as long as the map
  int64_t line = 0;       // from 1
  int64_t column = 0;     // from 1
  std::string_view name;  // of what is at this place; empty if unknown

  friend bool operator==(const OriginalPlace&, const OriginalPlace&) = default;
};

class SourceMap {
 public:
  struct Limits {
    uint64_t bytes_max = uint64_t{128} << 20;  // of the JSON text
    uint64_t script_bytes_max = uint64_t{64} << 20;
    size_t segments_max = size_t{4} << 20;  // 24 bytes each
    size_t names_max = size_t{1} << 20;     // files and names together
    int sections_max = 4096;
  };

  // `path` is where the map lies, to resolve relative names of files; empty: they stay relative.
  // Returns kInvalidArgument if it is not a source map, kResourceExhausted above a limit.
  static absl::StatusOr<SourceMap> Parse(std::string_view json, std::string_view path,
                                         const Limits& limits);
  static absl::StatusOr<SourceMap> Parse(std::string_view json, std::string_view path) {
    return Parse(json, path, Limits());
  }

  // Finds the map of a script: the one in its sourceMappingURL comment (inline, or a file beside
  // the script), or SCRIPT.map beside it or in `directory`, which may be empty. Returns kNotFound
  // if there is none. Nothing is fetched over the network.
  static absl::StatusOr<SourceMap> Load(const std::string& script, const std::string& directory,
                                        const Limits& limits);
  static absl::StatusOr<SourceMap> Load(const std::string& script, const std::string& directory) {
    return Load(script, directory, Limits());
  }

  // The last mapping at or before a place in its line.
  std::optional<OriginalPlace> Find(const SourcePlace& generated) const;

  size_t segment_count() const { return segments_.size(); }

 private:
  friend class SourceMapReader;

  struct Segment {  // from 0
    uint32_t line = 0;
    uint32_t column = 0;
    int32_t file = -1;  // index; -1: generated code without an origin
    uint32_t original_line = 0;
    uint32_t original_column = 0;
    int32_t name = -1;
  };

  std::vector<std::string> files_;
  std::vector<std::string> names_;
  std::vector<Segment> segments_;  // sorted by line and column
};

// The URL in the last "//# sourceMappingURL=" comment of a script. Empty if there is none.
std::string_view FindSourceMapUrl(std::string_view script);

}  // namespace flarestack::record::runtime
