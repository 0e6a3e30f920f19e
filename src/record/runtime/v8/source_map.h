// SPDX-License-Identifier: Apache-2.0
//
// Source maps (version 3, ECMA-426): the original positions of a bundle or of transpiled
// JavaScript.
//
//   FLARE_ASSIGN(const SourceMap map, SourceMap::Parse(json, "/srv/dist/app.js.map"));
//   if (const auto original = map.Find({.line = 1, .column = 4711})) Use(original->file, ...);
//
// Immutable. The text is not trusted: all sizes are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::record::runtime {

// From 1, as V8 reports them. Columns count UTF-16 code units.
struct SourcePosition {
  int64_t line = 0;
  int64_t column = 0;
};

struct OriginalPosition {
  std::string_view file;  // valid as long as the map
  int64_t line = 0;       // from 1
  int64_t column = 0;     // from 1

  friend bool operator==(const OriginalPosition&, const OriginalPosition&) = default;
};

class SourceMap {
 public:
  struct Limits {
    uint64_t bytes_max = uint64_t{64} << 20;  // of the JSON text
    size_t segments_max = size_t{4} << 20;    // 24 bytes each
    size_t names_max = size_t{1} << 20;       // sources and names together
    size_t name_bytes_max = size_t{32} << 20;
    int sections_max = 4096;
  };

  // Relative sources are resolved against the folder of `path`, the file of the map; if it is
  // empty, they stay relative. Returns kInvalidArgument if the text is not a source map,
  // kResourceExhausted above a limit.
  static absl::StatusOr<SourceMap> Parse(std::string_view json, std::string_view path,
                                         const Limits& limits);
  static absl::StatusOr<SourceMap> Parse(std::string_view json, std::string_view path) {
    return Parse(json, path, Limits());
  }

  // The last mapping at or before a position in its line. Returns nullopt if there is none, or if
  // it has no origin.
  std::optional<OriginalPosition> Find(const SourcePosition& generated) const;

  // The original name of the identifier that begins at this position; empty if unknown.
  std::string_view FindName(const SourcePosition& generated) const;

  // Returns false if the map belongs to another text: if more than 1 % of its mappings are not
  // inside these lines. `line_ends` has the offset of the last character of each line.
  bool Fits(const std::vector<uint32_t>& line_ends) const;

  size_t segment_count() const { return segments_.size(); }
  size_t bytes() const { return bytes_; }  // of memory

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

  // The last segment at or before a position in its line, or null.
  const Segment* FindSegment(const SourcePosition& generated) const;

  std::vector<std::string> files_;
  std::vector<std::string> names_;
  std::vector<Segment> segments_;  // sorted by line and column
  size_t bytes_ = 0;
};

// The URL in the "//# sourceMappingURL=" comment at the end of a script. Empty if there is none.
std::string_view FindSourceMapUrl(std::string_view script);

// Decodes the map in a "data:" URL.
absl::StatusOr<std::string> DecodeSourceMapUrl(std::string_view url);

}  // namespace flarestack::record::runtime
