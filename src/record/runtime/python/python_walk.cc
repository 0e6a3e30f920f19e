// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_walk.h"

#include <span>

namespace flarestack::record::runtime {
namespace {

int ReadData(void* memory, void* target, size_t size, uint64_t address) {
  const auto& read = *static_cast<const agent::MemoryReader*>(memory);
  return read(address, std::span<char>(static_cast<char*>(target), size)).ok() ? 0 : -1;
}

}  // namespace
}  // namespace flarestack::record::runtime

#define UNWIND_READ_DATA(memory, target, size, address) \
  ::flarestack::record::runtime::ReadData(memory, target, size, address)
#include "record/bpf/python_frames.h"

namespace flarestack::record::runtime {

bool PythonWalk::Begin(uint64_t thread_pointer) {
  return bpf::python_begin(&process_, thread_pointer, &read_, &cursor_) == 0;
}

std::optional<bpf::python_frame> PythonWalk::Next() {
  bpf::python_frame frame = {};
  if (bpf::python_next(&process_, &read_, &cursor_, &frame, &scratch_) != 0)
    return std::nullopt;
  return frame;
}

absl::StatusOr<std::vector<bpf::python_frame>> WalkPython(const bpf::python_process& process,
                                                          uint64_t thread_pointer,
                                                          agent::MemoryReader read,
                                                          size_t frames_max) {
  PythonWalk walk(process, read);
  if (!walk.Begin(thread_pointer))
    return absl::UnavailableError("cannot read the Python state of the thread");
  std::vector<bpf::python_frame> frames;
  while (walk.has_next() && frames.size() < frames_max) {
    const std::optional<bpf::python_frame> frame = walk.Next();
    if (!frame.has_value())
      break;
    frames.push_back(*frame);
  }
  return frames;
}

}  // namespace flarestack::record::runtime
