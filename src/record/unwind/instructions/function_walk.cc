// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/function_walk.h"

namespace flarestack::record::unwind {
namespace {

constexpr size_t kInstructionsMax = 1 << 14;  // per function
constexpr uint64_t kSkipBytesMax = 4096;

constexpr std::string_view kEndbr64("\xf3\x0f\x1e\xfa", 4);

}  // namespace

Instruction FunctionWalk::At(uint64_t address) const {
  if (address < gap_.span.begin || address >= gap_.span.end)
    return {};
  const uint64_t offset = address - gap_.span.begin;
  if (offset >= gap_.bytes.size())
    return {};
  return DecodeInstruction(machine_, gap_.bytes.substr(static_cast<size_t>(offset)), address);
}

// Processes all pending steps. Code after a call comes last: by then it is known whether another
// path leads there.
bool FunctionWalk::Run(uint64_t begin) {
  while (!todo_.empty() || !behind_calls_.empty()) {
    std::vector<Step>& from = todo_.empty() ? behind_calls_ : todo_;
    const Step step = from.back();
    from.pop_back();
    if (tried_.size() > kInstructionsMax || steps_left_ == 0 || !Visit(step, begin)) {
      todo_.clear();
      behind_calls_.clear();
      return false;
    }
    --steps_left_;
  }
  return true;
}

// Targets that only a jump table leads to have the stack of the jump. They are kept if they are
// consistent with the rest of the function.
void FunctionWalk::AddTableTargets(uint64_t begin) {
  const uint64_t end = gap_.NextStart(begin);
  for (uint64_t at = begin; at < end;) {
    const KnownInstruction* const found = tried_.Find(at);
    const Instruction instruction = found == nullptr ? At(at) : Instruction();
    if (found != nullptr) {
      at += found->length;
    } else if (instruction.length == 0) {
      return;
    } else if (instruction.is_padding) {
      at += instruction.length;
    } else {
      trail_.clear();
      todo_.push_back({.address = at, .state = *table_state_});
      if (Run(begin))
        continue;
      for (const uint64_t address : trail_)
        tried_.Forget(address);
      at = AfterNextEnd(at);
    }
  }
}

bool FunctionWalk::Add(uint64_t begin) {
  tried_.Clear();
  table_state_.reset();
  can_leave_ = false;
  todo_.push_back({.address = begin, .state = StateAtEntry(machine_)});
  if (!Run(begin))
    return false;
  if (table_state_.has_value() && gap_.IsStart(begin))
    AddTableTargets(begin);
  // A function that never returns is plausible only if it is called somewhere.
  if (!can_leave_ && !gap_.IsStart(begin))
    return false;
  known_.Merge(tried_);
  return true;
}

// Processes one instruction and queues its successors. Returns false if the function is
// implausible.
bool FunctionWalk::Visit(const Step& step, uint64_t begin) {
  // Some functions do not return: another function may begin after a call to one.
  if (step.is_behind_call && step.address != begin &&
      (gap_.IsStart(step.address) || step.address >= gap_.span.end))
    return true;
  for (const KnownCode* visited : {&tried_, &known_}) {
    if (const KnownInstruction* const found = visited->Find(step.address); found != nullptr)
      return found->state == step.state || step.is_behind_call;
  }
  const Instruction instruction = At(step.address);
  if (instruction.length == 0)
    return step.is_behind_call;
  tried_.Set({.address = step.address, .length = instruction.length, .state = step.state});
  trail_.push_back(step.address);
  return Continue(instruction, step, begin);
}

bool FunctionWalk::Continue(const Instruction& instruction, const Step& step, uint64_t begin) {
  Step next = {.address = step.address + instruction.length,
               .state = step.state,
               .is_behind_call = instruction.flow == Flow::kCall ||
                                 (step.is_behind_call && instruction.is_padding)};
  switch (instruction.flow) {
    case Flow::kTrap:
      return true;
    case Flow::kReturn:
      can_leave_ = true;
      return CanLeave(machine_, step.state);
    case Flow::kIndirectJump:
      // A jump to another function, or through a jump table.
      can_leave_ |= instruction.is_stub_jump && CanLeave(machine_, step.state);
      if (!CanLeave(machine_, step.state))
        table_state_ = step.state;
      return true;
    case Flow::kJump:
      return GoTo(instruction.target, step.state, begin);
    case Flow::kBranch:
      if (!GoTo(instruction.target, step.state, begin))
        return false;
      break;
    case Flow::kCall:
    case Flow::kNext:
      break;
  }
  if (!Apply(instruction, &next.state))
    return false;
  (next.is_behind_call ? behind_calls_ : todo_).push_back(next);
  return true;
}

bool FunctionWalk::GoTo(uint64_t target, const FrameState& state, uint64_t begin) {
  const bool is_elsewhere = target < gap_.span.begin || target >= gap_.span.end ||
                            (target != begin && gap_.IsStart(target));
  if (!is_elsewhere) {
    todo_.push_back({.address = target, .state = state});
    return true;
  }
  // Does not count as leaving: code without a known caller may be a part of another function and
  // jump back to it. At the start of a stack there is nothing to leave.
  return CanLeave(machine_, state) || state.is_outermost;
}

bool FunctionWalk::AddLinkageStub(uint64_t begin) {
  if (machine_ != Machine::kX86_64 || begin < gap_.span.begin || begin >= gap_.span.end)
    return false;
  uint64_t at = begin;
  FrameState state = StateAtEntry(machine_);
  const auto offset = static_cast<size_t>(at - gap_.span.begin);
  if (gap_.bytes.substr(offset < gap_.bytes.size() ? offset : gap_.bytes.size())
          .starts_with(kEndbr64))
    at += kEndbr64.size();
  const Instruction push = At(at);
  const Instruction jump = At(at + push.length);
  const bool is_push = push.length == 5 && push.change == StackChange::kAdd && push.value == -8;
  if (!is_push || jump.flow != Flow::kJump || jump.target >= begin)
    return false;
  // All stubs continue at the first one, which pushes once more and jumps to the dynamic linker.
  const Instruction second_push = At(jump.target);
  const Instruction last_jump = At(jump.target + second_push.length);
  if (second_push.length != 6 || second_push.change != StackChange::kAdd ||
      second_push.value != -8 || last_jump.flow != Flow::kIndirectJump)
    return false;
  for (uint64_t before = begin; before < at; before += kEndbr64.size())
    known_.Set(
        {.address = before, .length = static_cast<uint8_t>(kEndbr64.size()), .state = state});
  known_.Set({.address = at, .length = push.length, .state = state});
  state.sp = *state.sp - 8;
  known_.Set({.address = at + push.length, .length = jump.length, .state = state});
  known_.Set({.address = jump.target, .length = second_push.length, .state = state});
  state.sp = *state.sp - 8;
  known_.Set(
      {.address = jump.target + second_push.length, .length = last_jump.length, .state = state});
  return true;
}

uint64_t FunctionWalk::NextUnknown(uint64_t address) const {
  while (address < gap_.span.end) {
    if (const KnownInstruction* const found = known_.Find(address); found != nullptr) {
      address += found->length;
      continue;
    }
    const Instruction instruction = At(address);
    if (instruction.length == 0 || !instruction.is_padding)
      return address;
    address += instruction.length;
  }
  return gap_.span.end;
}

uint64_t FunctionWalk::AfterNextEnd(uint64_t address) const {
  const uint64_t limit = address + kSkipBytesMax;
  while (address < gap_.span.end && address < limit) {
    const Instruction instruction = At(address);
    if (instruction.length == 0)
      break;
    address += instruction.length;
    if (gap_.IsStart(address))
      return address;
    if (instruction.flow == Flow::kReturn || instruction.flow == Flow::kJump ||
        instruction.flow == Flow::kIndirectJump || instruction.flow == Flow::kTrap)
      return address;
  }
  return gap_.NextStart(address);
}

}  // namespace flarestack::record::unwind
