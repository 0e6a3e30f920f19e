// SPDX-License-Identifier: Apache-2.0
//
// Builds messages as the BPF programs send them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "record/bpf/go_process.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent::testing {

template <typename Fields>
std::string BytesOf(const Fields& fields, size_t count = sizeof(Fields)) {
  return {reinterpret_cast<const char*>(&fields), count};
}

struct TraceFields {
  uint32_t pid = 1;
  uint32_t tid = 1;
  uint64_t time_ns = 0;
  uint64_t start_time_ns = 0;
  bpf::trace_origin origin = bpf::ORIGIN_ON_CPU;
  bpf::wait_state wait = bpf::WAIT_PREEMPTED;
  bpf::unwind_end end = bpf::UNWIND_COMPLETE;
  uint32_t probability = 65536;
  int flags = 0;
  std::string_view comm = "thread";
  std::vector<uint64_t> kernel = {};
  std::vector<uint64_t> user = {};
};

inline std::string TraceMessage(const TraceFields& fields) {
  bpf::trace_message message = {};
  message.head = {.kind = bpf::MESSAGE_TRACE, .tid = fields.tid, .time_ns = fields.time_ns};
  message.start_time_ns = fields.start_time_ns;
  message.cgroup_id = 7;
  message.tgid = fields.pid;
  message.cpu = 3;
  message.probability = fields.probability;
  message.origin = static_cast<uint8_t>(fields.origin);
  message.wait = static_cast<uint8_t>(fields.wait);
  message.end = static_cast<uint8_t>(fields.end);
  message.flags = static_cast<uint8_t>(fields.flags);
  message.kernel_count = static_cast<uint16_t>(fields.kernel.size());
  message.user_count = static_cast<uint16_t>(fields.user.size());
  fields.comm.copy(message.comm, sizeof(message.comm));
  size_t count = 0;
  for (const auto* frames : {&fields.kernel, &fields.user}) {
    for (const uint64_t frame : *frames)
      message.frames[count++] = frame;
  }
  return BytesOf(message, offsetof(bpf::trace_message, frames) + count * sizeof(uint64_t));
}

inline std::string StackMessage(bpf::message_head head, const bpf::unwind_registers& registers,
                                uint64_t address, std::string_view stack) {
  bpf::stack_message message = {};
  head.kind = bpf::MESSAGE_STACK;
  message.head = head;
  message.registers = registers;
  message.stack_address = address;
  message.pieces = ~uint64_t{0};
  message.stack_bytes = static_cast<uint32_t>(stack.size());
  return BytesOf(message, offsetof(bpf::stack_message, stack)) + std::string(stack);
}

inline std::string ContextMessage(bpf::message_head head, std::string_view record) {
  bpf::context_message message = {};
  head.kind = bpf::MESSAGE_CONTEXT;
  message.head = head;
  message.bytes = static_cast<uint32_t>(record.size());
  std::memcpy(message.record, record.data(), record.size());
  return BytesOf(message, offsetof(bpf::context_message, record) + record.size());
}

inline std::string GoroutineMessage(bpf::message_head head, uint64_t goid,
                                    std::string_view labels) {
  bpf::goroutine_message message = {};
  head.kind = bpf::MESSAGE_GOROUTINE;
  message.head = head;
  message.goid = goid;
  message.bytes = static_cast<uint32_t>(labels.size());
  std::memcpy(message.record, labels.data(), labels.size());
  return BytesOf(message, offsetof(bpf::goroutine_message, record) + labels.size());
}

inline std::string WaitEndMessage(bpf::message_head head, uint64_t wake_ns, uint64_t run_ns) {
  head.kind = bpf::MESSAGE_WAIT_END;
  return BytesOf(bpf::wait_end_message{.head = head, .wake_ns = wake_ns, .run_ns = run_ns});
}

}  // namespace flarestack::record::agent::testing
