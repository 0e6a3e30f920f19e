// SPDX-License-Identifier: Apache-2.0
//
// Scripts of a process: their names, and lines by position in the text.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/runtime/v8/v8_heap.h"

namespace flarestack::record::runtime {

class SourceMap;

// From 1; 0 if unknown.
struct V8Line {
  int64_t line = 0;
  int64_t column = 0;
};

struct V8Script {
  std::string file;                 // a path, or as the script is called: "node:internal/timers"
  std::vector<uint32_t> line_ends;  // ascending; empty if unknown
  int32_t first_line = 0;           // added to lines
  int32_t first_column = 0;         // added to columns of the first line
  std::shared_ptr<const SourceMap> map;  // null if there is none

  V8Line LineOf(int32_t script_offset) const;
};

// "file:///srv/a%20b.js" -> "/srv/a b.js"; other names stay as they are.
std::string V8ScriptPath(std::string_view name);

// Finds the source map of a script. Returns kUnavailable if a later call may succeed.
using MapFinder =
    std::function<absl::StatusOr<std::shared_ptr<const SourceMap>>(const V8Script& script)>;

class V8Scripts {
 public:
  struct Limits {
    size_t scripts_max = 2048;
    size_t line_ends_max = size_t{1} << 20;      // of all scripts
    size_t source_units_max = size_t{16} << 20;  // of one script
  };

  // `find_map` may be null.
  V8Scripts(MapFinder find_map, const Limits& limits)
      : limits_(limits), find_map_(std::move(find_map)) {}

  // Valid until the next call. Reads the script again if another one is at its address now.
  absl::StatusOr<const V8Script*> Find(const V8Heap& heap, uint64_t script);

 private:
  struct Entry {
    uint64_t source = 0;  // words of the script, to recognize it
    uint64_t name = 0;
    V8Script script;
    bool may_have_map = true;
    std::chrono::steady_clock::time_point next_map{};  // when to look for it
  };

  void FindMap(Entry* entry) const;
  absl::StatusOr<std::vector<uint32_t>> ReadLineEnds(const V8Heap& heap, uint64_t script) const;

  const Limits limits_;
  const MapFinder find_map_;
  size_t line_end_count_ = 0;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Entry>> scripts_;
};

}  // namespace flarestack::record::runtime
