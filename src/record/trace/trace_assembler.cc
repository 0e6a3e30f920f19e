// SPDX-License-Identifier: Apache-2.0
#include "record/trace/trace_assembler.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "record/bpf/go_process.h"
#include "record/trace/language_frames.h"
#include "record/trace/program_code.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::agent {
namespace {

constexpr std::chrono::milliseconds kAwaitMax{500};
constexpr size_t kPendingMax = 1024;

// Reads the fixed part of a message. Returns nullopt if the message is too short.
template <typename Message>
std::optional<Message> ReadHead(std::string_view bytes, size_t head_bytes = sizeof(Message)) {
  static_assert(std::is_trivially_copyable_v<Message>);
  if (bytes.size() < head_bytes)
    return std::nullopt;
  Message message;
  std::memcpy(&message, bytes.data(), head_bytes);
  return message;
}

// trace_message without its frames.
struct TraceHead {
  alignas(bpf::trace_message) std::byte bytes[offsetof(bpf::trace_message, frames)];
};

void ReadFrames(std::string_view bytes, size_t first, size_t count, std::vector<uint64_t>* frames) {
  frames->resize(count);
  if (count > 0)
    std::memcpy(frames->data(), bytes.data() + first * sizeof(uint64_t), count * sizeof(uint64_t));
}

}  // namespace

void TraceAssembler::Add(std::string_view message, Time now) {
  const auto head = ReadHead<bpf::message_head>(message);
  if (!head) {
    ++malformed_count_;
    return;
  }
  if (head->kind == bpf::MESSAGE_TRACE)
    AddTrace(message, now);
  else if (head->kind == bpf::MESSAGE_STACK)
    AddStack(message, now);
  else if (head->kind == bpf::MESSAGE_CONTEXT)
    AddContext(message);
  else if (head->kind == bpf::MESSAGE_GOROUTINE)
    AddGoroutine(message);
  else if (head->kind == bpf::MESSAGE_WAIT_END)
    AddWaitEnd(message, now);
  else
    ++malformed_count_;
  HandOutComplete(now);
}

void TraceAssembler::AddOwn(const OwnSample& sample, LiveStacks* live, Time now) {
  const auto pid = static_cast<pid_t>(sample.pid);
  if (processes_.FindAny(pid) == nullptr)
    processes_.Learn(pid, now);
  const Process* const process = processes_.FindAny(pid);
  Trace trace = {.time_ns = sample.time_ns,
                 .start_time_ns = process == nullptr ? 0 : process->start_ns,
                 .pid = sample.pid,
                 .tid = sample.tid,
                 .cpu = sample.cpu,
                 .end = bpf::UNWIND_UNKNOWN_PROCESS,
                 .comm = process == nullptr ? "" : process->command};
  if (live != nullptr) {
    if (const auto end = live->Walk(sample, now, &trace.user_frames); end.has_value()) {
      ++walked_count_;
      trace.end = *end;
      HandOut(&trace, now);
      return;
    }
  }
  unwind::CopiedStack stack(sample.registers.regs[bpf::REG_SP],
                            std::as_bytes(std::span(sample.stack)));
  WalkRest(&trace, sample.registers, &stack, now);
  HandOut(&trace, now);
}

bool TraceAssembler::NeedsEvents(std::string_view message) {
  const auto head = ReadHead<bpf::message_head>(message);
  return head && head->kind == bpf::MESSAGE_STACK;
}

void TraceAssembler::AddTrace(std::string_view message, Time now) {
  constexpr size_t kHeadBytes = offsetof(bpf::trace_message, frames);
  auto head = ReadHead<TraceHead>(message, kHeadBytes);
  if (!head) {
    ++malformed_count_;
    return;
  }
  bpf::trace_message raw;
  std::memcpy(&raw, head->bytes, kHeadBytes);
  const std::string_view frames = message.substr(kHeadBytes);
  const size_t frame_count = size_t{raw.kernel_count} + raw.user_count;
  if (frames.size() / sizeof(uint64_t) < frame_count) {
    ++malformed_count_;
    return;
  }
  trace_.time_ns = raw.head.time_ns;
  trace_.start_time_ns = raw.start_time_ns;
  trace_.cgroup_id = raw.cgroup_id;
  trace_.content = raw.content;
  trace_.pid = raw.tgid;
  trace_.tid = raw.head.tid;
  trace_.cpu = raw.cpu;
  trace_.probability = raw.probability;
  trace_.origin = static_cast<bpf::trace_origin>(raw.origin);
  const bool is_counted = trace_.origin == bpf::ORIGIN_COUNTED;
  trace_.wait = is_counted ? bpf::WAIT_PREEMPTED : static_cast<bpf::wait_state>(raw.wait);
  trace_.event = is_counted ? raw.wait : 0;
  trace_.event_count = raw.event_count;
  trace_.end = static_cast<bpf::unwind_end>(raw.end);
  trace_.comm.assign(raw.comm, strnlen(raw.comm, sizeof(raw.comm)));
  ReadFrames(frames, 0, raw.kernel_count, &trace_.kernel_frames);
  ReadFrames(frames, raw.kernel_count, raw.user_count, &trace_.user_frames);
  RestoreFrameOrder(raw.omitted_count, &trace_.user_frames);
  // An on-CPU trace does not queue behind incomplete ones, because its repeats follow soon.
  if (raw.flags == 0 && (pending_.empty() || trace_.origin == bpf::ORIGIN_ON_CPU))
    HandOut(&trace_, now);
  else
    pending_.push_back({.trace = trace_, .awaits = raw.flags, .since = now});
}

TraceAssembler::Pending* TraceAssembler::FindOrNull(const bpf::message_head& head) {
  for (auto pending = pending_.rbegin(); pending != pending_.rend(); ++pending) {
    if (pending->trace.tid == head.tid && pending->trace.time_ns == head.time_ns)
      return &*pending;
  }
  return nullptr;
}

void TraceAssembler::AddStack(std::string_view message, Time now) {
  struct StackHead {
    bpf::message_head head;
    bpf::unwind_registers registers;
    uint64_t stack_address;
    uint64_t pieces;
    uint32_t stack_bytes;
    uint32_t reserved;
  };
  static_assert(sizeof(StackHead) == offsetof(bpf::stack_message, stack));
  const auto head = ReadHead<StackHead>(message);
  Pending* const pending = head ? FindOrNull(head->head) : nullptr;
  if (pending == nullptr) {
    ++malformed_count_;
    return;
  }
  const std::string_view bytes = message.substr(sizeof(StackHead)).substr(0, head->stack_bytes);
  unwind::StackPieces stack(head->stack_address, head->pieces, std::as_bytes(std::span(bytes)));
  WalkRest(&pending->trace, head->registers, &stack, now);
  pending->awaits &= static_cast<uint8_t>(~bpf::TRACE_STACK_FOLLOWS);
}

void TraceAssembler::AddContext(std::string_view message) {
  struct ContextHead {
    bpf::message_head head;
    uint32_t bytes;
    uint32_t reserved;
  };
  static_assert(sizeof(ContextHead) == offsetof(bpf::context_message, record));
  const auto head = ReadHead<ContextHead>(message);
  Pending* const pending = head ? FindOrNull(head->head) : nullptr;
  if (pending == nullptr) {
    ++malformed_count_;
    return;
  }
  pending->trace.context = message.substr(sizeof(ContextHead)).substr(0, head->bytes);
  pending->awaits &= static_cast<uint8_t>(~bpf::TRACE_CONTEXT_FOLLOWS);
}

void TraceAssembler::AddGoroutine(std::string_view message) {
  struct GoroutineHead {
    bpf::message_head head;
    uint64_t goid;
    uint32_t bytes;
    uint32_t reserved;
  };
  static_assert(sizeof(GoroutineHead) == offsetof(bpf::goroutine_message, record));
  const auto head = ReadHead<GoroutineHead>(message);
  Pending* const pending = head ? FindOrNull(head->head) : nullptr;
  if (pending == nullptr) {
    ++malformed_count_;
    return;
  }
  const std::string_view labels = message.substr(sizeof(GoroutineHead)).substr(0, head->bytes);
  pending->trace.goroutine.assign(reinterpret_cast<const char*>(&head->goid), sizeof(head->goid));
  pending->trace.goroutine += labels;
  pending->awaits &= static_cast<uint8_t>(~bpf::TRACE_GOROUTINE_FOLLOWS);
}

void TraceAssembler::AddWaitEnd(std::string_view message, Time now) {
  const auto end = ReadHead<bpf::wait_end_message>(message);
  if (!end) {
    ++malformed_count_;
    return;
  }
  // The trace of this wait arrived before, but may still lack other messages.
  if (Pending* const its_trace = FindOrNull(end->head); its_trace != nullptr) {
    for (Pending& pending : pending_) {
      pending.awaits = 0;
      if (&pending == its_trace)
        break;
    }
  }
  HandOutComplete(now);
  visitor_.OnWaitEnd({.tid = end->head.tid,
                      .time_ns = end->head.time_ns,
                      .wake_ns = end->wake_ns,
                      .run_ns = end->run_ns});
}

void TraceAssembler::HandOut(Trace* trace, Time now) {
  if (runtimes_ != nullptr)
    runtimes_->NameFrames({.pid = static_cast<pid_t>(trace->pid), .time_ns = trace->time_ns},
                          &trace->user_frames, now);
  CutFrames(trace->end, &trace->user_frames);
  visitor_.OnTrace(*trace);
}

// In order of arrival: the parts of a trace follow it closely.
void TraceAssembler::HandOutComplete(Time now) {
  while (!pending_.empty() && (pending_.front().awaits == 0 || pending_.size() > kPendingMax)) {
    HandOut(&pending_.front().trace, now);
    pending_.pop_front();
  }
}

void TraceAssembler::Flush(Time now) {
  for (Pending& pending : pending_) {
    if (now - pending.since >= kAwaitMax)
      pending.awaits = 0;
  }
  HandOutComplete(now);
}

void TraceAssembler::WalkRest(Trace* trace, const bpf::unwind_registers& registers,
                              unwind::Memory* stack, Time now) {
  const auto pid = static_cast<pid_t>(trace->pid);
  Process* process = processes_.Find(pid, trace->start_time_ns);
  // The process may have called exec since the sample.
  const FormerProgram* const former =
      process == nullptr ? nullptr : process->FormerAt(trace->time_ns);
  if (former == nullptr && (process == nullptr || process->FindMapping(registers.pc) == nullptr)) {
    processes_.Learn(pid, now);
    process = processes_.Find(pid, trace->start_time_ns);
  }
  // Nothing is known about a process that exited before it was scanned, and guessed frames would
  // look like a real stack.
  if (process == nullptr)
    return;
  const std::span<const bpf::code_mapping> mappings =
      former != nullptr ? former->mappings : process->mappings;
  if (mappings.empty())
    return;
  MemoryOfProgram memory(stack, mappings, &files_);
  RulesOfProgram rules(mappings, &files_, now);
  ++walked_count_;
  // BPF knew the frames of the interpreter, but not the native ones between them.
  LanguageFrames language(&trace->user_frames);
  bool has_interpreter = false;
  trace->end = unwind::Walk(registers, memory, rules, [&](const unwind::WalkedFrame& frame) {
    trace->user_frames.push_back(FrameWord(frame, FindMapping(mappings, LookupAddress(frame))));
    has_interpreter |= frame.is_interpreter;
    if (frame.is_interpreter)
      language.MoveLoop(&trace->user_frames);
  });
  if (has_interpreter && runtimes_ != nullptr)
    runtimes_->Attach(pid, now);  // for the next samples
  language.MoveRest(&trace->user_frames);
}

}  // namespace flarestack::record::agent
