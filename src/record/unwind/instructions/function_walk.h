// SPDX-License-Identifier: Apache-2.0
//
// Follows the functions in one span of code, see plain_code.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "record/unwind/instructions/frame_state.h"
#include "record/unwind/instructions/instruction.h"
#include "record/unwind/instructions/known_code.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

// A range that no table describes, with its bytes and its known function starts.
struct CodeGap {
  CodeSpan span;
  std::string_view bytes;
  std::vector<uint64_t> starts;  // sorted, unique

  bool IsStart(uint64_t address) const {
    return std::binary_search(starts.begin(), starts.end(), address);
  }
  // Returns the next start after an address, or the end of the span.
  uint64_t NextStart(uint64_t address) const {
    const auto next = std::upper_bound(starts.begin(), starts.end(), address);
    return next == starts.end() ? span.end : *next;
  }
};

class FunctionWalk {
 public:
  // Maximum number of instructions decoded for the whole gap: about eight times as many as fit into
  // a page.
  static constexpr uint64_t kStepsMax = uint64_t{1} << 17;

  FunctionWalk(Machine machine, const CodeGap& gap)
      : machine_(machine), gap_(gap), known_(gap.span), tried_(gap.span) {}

  // Follows the function that begins here. If it is plausible, adds its instructions and returns
  // true.
  bool Add(uint64_t begin);

  // Adds a linkage stub for calls to other files: its first part jumps there, its second part has
  // the linker resolve the target. Returns true if there is one here.
  bool AddLinkageStub(uint64_t begin);

  // Returns the next address from here on that is neither part of a known function nor padding.
  uint64_t NextUnknown(uint64_t address) const;

  // Returns the address after the next instruction that ends the control flow. Code up to there is
  // skipped.
  uint64_t AfterNextEnd(uint64_t address) const;

  const KnownCode& known() const { return known_; }

 private:
  struct Step {
    uint64_t address = 0;
    FrameState state;
    bool is_behind_call = false;
  };

  Instruction At(uint64_t address) const;
  bool Run(uint64_t begin);
  void AddTableTargets(uint64_t begin);
  bool Visit(const Step& step, uint64_t begin);
  bool Continue(const Instruction& instruction, const Step& step, uint64_t begin);
  bool GoTo(uint64_t target, const FrameState& state, uint64_t begin);

  Machine machine_;
  const CodeGap& gap_;
  KnownCode known_;
  KnownCode tried_;              // of the current function
  std::vector<uint64_t> trail_;  // most recently added to tried_
  std::vector<Step> todo_;
  std::vector<Step> behind_calls_;         // pending steps after calls that may never return
  std::optional<FrameState> table_state_;  // state at an indirect jump through a table
  bool can_leave_ = false;
  uint64_t steps_left_ = kStepsMax;
};

}  // namespace flarestack::record::unwind
