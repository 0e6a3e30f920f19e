// SPDX-License-Identifier: Apache-2.0
//
// Follows the functions of one piece of code, see plain_code.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "record/unwind/frame_state.h"
#include "record/unwind/instruction.h"
#include "record/unwind/known_code.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

// The bytes of a gap between tables, and where functions are known to begin in it.
struct CodeGap {
  CodeSpan span;
  std::string_view bytes;
  std::vector<uint64_t> starts;  // sorted, each once

  bool IsStart(uint64_t address) const {
    return std::binary_search(starts.begin(), starts.end(), address);
  }
  // The next start behind an address; the end of the span where there is none.
  uint64_t NextStart(uint64_t address) const {
    const auto next = std::upper_bound(starts.begin(), starts.end(), address);
    return next == starts.end() ? span.end : *next;
  }
};

class FunctionWalk {
 public:
  // Instructions that are looked at, for the whole gap: some eight times of what fits into a page.
  static constexpr uint64_t kStepsMax = uint64_t{1} << 17;

  FunctionWalk(Machine machine, const CodeGap& gap)
      : machine_(machine), gap_(gap), known_(gap.span), tried_(gap.span) {}

  // Follows the function that begins here. True when it makes sense; then its instructions are
  // known.
  bool Add(uint64_t begin);

  // The stub by which calls to other files go: the first part jumps there, the second asks the
  // linker for it. True when one is here.
  bool AddLinkageStub(uint64_t begin);

  // The next address from here on that no function has and that is no padding.
  uint64_t NextUnknown(uint64_t address) const;

  // Where the code goes on behind an instruction from which it does not go on: what is decoded from
  // here on up to there is left out.
  uint64_t BehindNextEnd(uint64_t address) const;

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
  KnownCode tried_;              // of the function at hand
  std::vector<uint64_t> trail_;  // what was added to those last
  std::vector<Step> todo_;
  std::vector<Step> behind_calls_;         // where the call may never return
  std::optional<FrameState> table_state_;  // at a jump by a table
  bool can_leave_ = false;
  uint64_t steps_left_ = kStepsMax;
};

}  // namespace flarestack::record::unwind
