// SPDX-License-Identifier: Apache-2.0
//
// The known instructions of one span of code, by address. Uses an array instead of a map, because a
// walk looks up each instruction several times.
#pragma once

#include <cstdint>
#include <vector>

#include "record/unwind/instructions/frame_state.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

struct KnownInstruction {
  uint64_t address = 0;
  uint8_t length = 0;
  FrameState state;  // before the instruction
};

class KnownCode {
 public:
  explicit KnownCode(const CodeSpan& span) : span_(span), places_(span.end - span.begin, 0) {}

  // Returns null if nothing is known.
  const KnownInstruction* Find(uint64_t address) const {
    const uint32_t place = Contains(address) ? places_[address - span_.begin] : 0;
    return place == 0 ? nullptr : &instructions_[place - 1];
  }

  // The address must be in the span.
  void Set(const KnownInstruction& instruction) {
    instructions_.push_back(instruction);
    places_[instruction.address - span_.begin] = static_cast<uint32_t>(instructions_.size());
  }

  void Forget(uint64_t address) { places_[address - span_.begin] = 0; }

  void Clear() {
    for (const KnownInstruction& instruction : instructions_)
      Forget(instruction.address);
    instructions_.clear();
  }

  // Number of instructions that were set.
  size_t size() const { return instructions_.size(); }

  // Visits the known instructions in order of address.
  template <typename Take>
  void ForEach(Take take) const {
    for (const uint32_t place : places_) {
      if (place != 0)
        take(instructions_[place - 1]);
    }
  }

  // Adds the instructions of another object at addresses where nothing is known yet.
  void Merge(const KnownCode& other) {
    for (const KnownInstruction& instruction : other.instructions_) {
      if (other.Find(instruction.address) != nullptr && Find(instruction.address) == nullptr)
        Set(instruction);
    }
  }

 private:
  bool Contains(uint64_t address) const { return address >= span_.begin && address < span_.end; }

  CodeSpan span_;
  std::vector<uint32_t> places_;  // index into instructions_ plus one, by address
  std::vector<KnownInstruction> instructions_;
};

}  // namespace flarestack::record::unwind
