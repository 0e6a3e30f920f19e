// SPDX-License-Identifier: Apache-2.0
#include "record/trace/live_stacks.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>

#include "base/status.h"
#include "base/text/text.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/naming/mixed_walk.h"
#include "record/trace/program_code.h"
#include "record/unwind/rows/row.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What a thread does much later says nothing about the sample.
constexpr milliseconds kAgeMax{50};
constexpr size_t kStackBytes = 32 << 10;  // read at once
constexpr size_t kThreadsMax = 4096;

// The memory of a stopped thread. Most of its stack is read at once.
class StoppedMemory final : public unwind::Memory {
 public:
  StoppedMemory(pid_t pid, uint64_t stack_pointer, std::vector<char>* buffer)
      : pid_(pid), begin_(stack_pointer), buffer_(*buffer) {
    buffer_.resize(kStackBytes);
    bytes_ = ReadMemoryBegin(pid, begin_, buffer_);
  }

  bool Read(uint64_t address, std::span<std::byte> target) override {
    const uint64_t offset = address - begin_;
    if (address < begin_ || offset > bytes_ || target.size() > bytes_ - offset)
      return ReadCode(address, target);
    std::memcpy(target.data(), buffer_.data() + offset, target.size());
    return true;
  }

  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    const std::span<char> out(reinterpret_cast<char*>(target.data()), target.size());
    return ReadMemoryBegin(pid_, address, out) == out.size();
  }

 private:
  const pid_t pid_;
  const uint64_t begin_;
  std::vector<char>& buffer_;
  size_t bytes_ = 0;
};

class MixedCodeOfProgram final : public runtime::MixedCode {
 public:
  MixedCodeOfProgram(std::span<const bpf::code_mapping> mappings, CodeFiles* files, Time now)
      : mappings_(mappings), rules_(mappings, files, now) {}

  bpf::unwind_rule RuleAt(uint64_t address) override {
    return IsInFile(address) ? rules_.RuleAt(address) : unwind::RuleOfKind(bpf::RULE_GENERATED);
  }

  bool IsInFile(uint64_t address) override {
    const bpf::code_mapping* const mapping = FindMapping(mappings_, address);
    return mapping != nullptr && mapping->file != NO_FILE;
  }

 private:
  const std::span<const bpf::code_mapping> mappings_;
  RulesOfProgram rules_;
};

uint64_t Nanoseconds(Time time) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

}  // namespace

absl::Status LiveStacks::Check(pid_t child) {
  ThreadStopper stopper(child);
  const absl::Status status =
      stopper.StopAny({.pid = child, .tid = child}, [](const ThreadState&) {});
  if (status.ok() || absl::IsDeadlineExceeded(status))
    return absl::OkStatus();
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  return absl::PermissionDeniedError(
      scope > 1 ? base::StrCat("kernel.yama.ptrace_scope is ", scope, ", which forbids tracing")
                : base::StrCat("tracing is not permitted: ", base::Message(status)));
}

std::optional<bpf::unwind_end> LiveStacks::Walk(const OwnSample& sample, Time now,
                                                std::vector<uint64_t>* frames) {
  const auto pid = static_cast<pid_t>(sample.pid);
  const Process* const process = processes_.FindAny(pid);
  const bpf::runtime_process* const runtime = runtimes_.Find(pid);
  if (process == nullptr || runtime == nullptr || runtime->kinds == 0 || has_ended_)
    return std::nullopt;
  if (!MayStop(sample, *process, now))
    return std::nullopt;
  const Time start = steady_clock::now();
  std::optional<bpf::unwind_end> end;
  const absl::Status status = stopper_.Stop(
      {.pid = pid, .tid = static_cast<pid_t>(sample.tid)}, [&](const ThreadState& thread) {
        if (!thread.has_waited)
          end = WalkStopped({.thread = thread, .process = *process, .runtime = *runtime}, frames);
      });
  const Time stopped = steady_clock::now();
  budget_.Spend(stopped - start);
  if (last_stops_.size() >= kThreadsMax)
    last_stops_.clear();
  last_stops_[sample.tid] = Nanoseconds(stopped);
  if (end.has_value())
    ++counts_.walked;
  else
    Count(status);
  return end;
}

bool LiveStacks::MayStop(const OwnSample& sample, const Process& process, Time now) {
  const uint64_t now_ns = Nanoseconds(now);
  const uint64_t age_ns = now_ns - std::min(now_ns, sample.time_ns);
  const auto last = last_stops_.find(sample.tid);
  if (age_ns > Nanoseconds(Time(kAgeMax)) || process.FormerAt(sample.time_ns) != nullptr ||
      (last != last_stops_.end() && sample.time_ns <= last->second)) {
    ++counts_.moved;
    return false;
  }
  if (!budget_.HasLeft(now)) {
    ++counts_.skipped;
    return false;
  }
  return true;
}

bpf::unwind_end LiveStacks::WalkStopped(const Walked& walked, std::vector<uint64_t>* frames) {
  const bpf::unwind_registers& registers = walked.thread.registers;
  const std::span<const bpf::code_mapping> mappings = walked.process.mappings;
  StoppedMemory memory(walked.process.pid, registers.regs[bpf::REG_SP], &stack_);
  MixedCodeOfProgram code(mappings, &files_, steady_clock::now());
  frames->clear();
  return runtime::WalkMixed(
      {.registers = registers,
       .thread_pointer = walked.thread.thread_pointer,
       .runtime = walked.runtime},
      memory, code, [&](const runtime::MixedFrame& frame) {
        if (frame.word == 0) {
          frames->push_back(
              FrameWord(frame.native, FindMapping(mappings, LookupAddress(frame.native))));
          return;
        }
        frames->push_back(frame.word);
        if (frame.operand != 0)
          frames->push_back(frame.operand);
      });
}

void LiveStacks::Count(const absl::Status& status) {
  if (absl::IsPermissionDenied(status) || absl::IsUnimplemented(status))
    ++counts_.denied;
  else if (absl::IsDeadlineExceeded(status))
    ++counts_.skipped;
  else
    ++counts_.moved;
}

}  // namespace flarestack::record::agent
