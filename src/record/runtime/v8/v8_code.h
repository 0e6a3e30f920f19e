// SPDX-License-Identifier: Apache-2.0
//
// Finds the code object that contains an address: the one before the instructions in memory. A
// function may have several at a time (optimized again, or replaced while a loop runs), so its
// current one is not necessarily the one on the stack.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/runtime/v8/v8_heap.h"

namespace flarestack::record::runtime {

struct V8Code {
  uint64_t object = 0;  // Code
  uint64_t header = 0;  // the object before the instructions
  uint64_t start = 0;   // of the instructions
  uint64_t size = 0;
  int32_t kind = 0;

  bool Contains(uint64_t address) const { return address >= start && address - start < size; }
  friend bool operator==(const V8Code&, const V8Code&) = default;
};

class V8Codes {
 public:
  static constexpr size_t kCodesMax = 8192;
  static constexpr uint64_t kSearchBytesMax = uint64_t{1} << 20;

  // Returns kNotFound if there is none within kSearchBytesMax before the address.
  absl::StatusOr<V8Code> Find(const V8Heap& heap, uint64_t address);

 private:
  bool IsHeaderMap(const V8Heap& heap, uint64_t word);

  std::map<uint64_t, V8Code> codes_;  // by start
  // Words that were seen before instructions: whether they are the map of a code header.
  absl::flat_hash_map<uint64_t, bool> maps_;
};

// Reads the code object behind a header.
absl::StatusOr<V8Code> ReadV8Code(const V8Heap& heap, uint64_t header);

}  // namespace flarestack::record::runtime
