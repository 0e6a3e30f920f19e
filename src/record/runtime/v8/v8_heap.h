// SPDX-License-Identifier: Apache-2.0
//
// Reads objects of V8's heap in the memory of a process. A word of an object is tagged: a pointer
// has 1 in its lowest bit (and 1 in the next if it is weak), a small integer (Smi) has 0 in its
// lower half and its value in the upper. Addresses of objects are untagged here.
//
// The process keeps running and may be hostile: nothing read is trusted, all sizes are bounded.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/v8/v8_file.h"

namespace flarestack::record::runtime {

class V8Heap {
 public:
  static constexpr size_t kNameBytesMax = 1024;

  // Both must outlive this object.
  V8Heap(const V8Layout& layout, agent::MemoryReader read) : layout_(layout), read_(read) {}

  const V8Layout& layout() const { return layout_; }

  absl::Status Read(uint64_t address, std::span<char> out) const { return read_(address, out); }
  absl::StatusOr<uint64_t> Word(uint64_t object, int32_t offset) const;
  absl::StatusOr<int32_t> Half(uint64_t object, int32_t offset) const;
  // Returns kInvalidArgument if the word is not of this form.
  absl::StatusOr<uint64_t> Pointer(uint64_t object, int32_t offset) const;
  absl::StatusOr<int32_t> Smi(uint64_t object, int32_t offset) const;

  // The instance type of an object.
  absl::StatusOr<int32_t> Type(uint64_t object) const;
  absl::Status ExpectType(uint64_t object, int32_t type) const;

  // The elements of a FixedArray and its variants.
  absl::StatusOr<int32_t> ArrayLength(uint64_t array) const;
  absl::StatusOr<uint64_t> ArrayPointer(uint64_t array, int32_t index) const;
  // The bytes of a ByteArray; kResourceExhausted if there are more.
  absl::StatusOr<std::string> ByteArray(uint64_t array, size_t bytes_max) const;

  // A string as UTF-8, cut off at `bytes_max`.
  absl::StatusOr<std::string> String(uint64_t object, size_t bytes_max = kNameBytesMax) const;
  // Code units of a string, as UTF-16; fewer if it ends before.
  struct UnitRange {
    size_t begin = 0;
    size_t count = 0;
  };
  absl::StatusOr<std::u16string> Units(uint64_t object, const UnitRange& range) const;

 private:
  struct Part {  // of a string that is still to be read
    uint64_t object = 0;
    size_t begin = 0;
    size_t count = 0;
  };

  absl::Status AppendFlat(const Part& part, int32_t type, std::u16string* units) const;

  const V8Layout& layout_;
  agent::MemoryReader read_;
};

}  // namespace flarestack::record::runtime
