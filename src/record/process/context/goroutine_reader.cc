// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/goroutine_reader.h"

#include <span>
#include <string_view>

namespace flarestack::record::agent {
namespace {

int ReadGoData(void* memory, void* target, size_t size, uint64_t address) {
  const auto& read = *static_cast<const MemoryReader*>(memory);
  return read(address, std::span<char>(static_cast<char*>(target), size)).ok() ? 0 : -1;
}

}  // namespace
}  // namespace flarestack::record::agent

#pragma push_macro("UNWIND_READ_DATA")
#undef UNWIND_READ_DATA
#define UNWIND_READ_DATA(memory, target, size, address) \
  ::flarestack::record::agent::ReadGoData(memory, target, size, address)
#include "record/bpf/go_step.h"
#pragma pop_macro("UNWIND_READ_DATA")

namespace flarestack::record::agent {

std::optional<std::string> ReadGoroutine(const bpf::go_process& go, uint64_t g, MemoryReader read) {
  const uint64_t goroutine = bpf::go_running(&go, &read, g);
  if (goroutine == 0)
    return std::nullopt;
  uint64_t id = 0;
  if (ReadGoData(&read, &id, sizeof(id), goroutine + go.g_goid) != 0)
    id = 0;
  bpf::goroutine_message message = {};
  bpf::go_read_labels(&go, &read, goroutine, &message);
  std::string record(reinterpret_cast<const char*>(&id), sizeof(id));
  record += std::string_view(reinterpret_cast<const char*>(message.record), message.bytes);
  return record;
}

}  // namespace flarestack::record::agent
