// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_process.h"

#include <array>
#include <span>

#include "base/status.h"
#include "record/runtime/python/python_state_place.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kInterpretersMax = 16;
constexpr size_t kThreadsMax = 256;

absl::StatusOr<PythonLayout> LayoutOf(const PythonFile& file, uint64_t runtime,
                                      agent::MemoryReader read) {
  if (file.minor < kPythonMinorSelfDescribed)
    return KnownPythonLayout(file.minor);
  std::array<char, kPythonDescriptionBytes> description = {};
  FLARE_RETURN_IF_ERROR(read(runtime, description));
  return ReadPythonLayout(file.minor, description);
}

}  // namespace

absl::StatusOr<std::vector<PythonThread>> ListPythonThreads(const PythonLayout& layout,
                                                            uint64_t runtime_address,
                                                            agent::MemoryReader read) {
  std::vector<PythonThread> threads;
  size_t states_read = 0;  // bounds a list that leads back to itself
  FLARE_ASSIGN(uint64_t interpreter,
               agent::ReadWord(read, runtime_address + layout.runtime_interpreters));
  for (size_t i = 0; i < kInterpretersMax && interpreter != 0; ++i) {
    FLARE_ASSIGN(uint64_t state, agent::ReadWord(read, interpreter + layout.interpreter_threads));
    for (; state != 0 && states_read < kThreadsMax; ++states_read) {
      FLARE_ASSIGN(const uint64_t id, agent::ReadWord(read, state + layout.state_thread_id));
      if (id != 0)
        threads.push_back({.state = state, .thread_id = id});
      FLARE_ASSIGN(state, agent::ReadWord(read, state + layout.state_next));
    }
    FLARE_ASSIGN(interpreter, agent::ReadWord(read, interpreter + layout.interpreter_next));
  }
  if (threads.empty())
    return absl::UnavailableError("the interpreter has no threads yet");
  return threads;
}

absl::StatusOr<PythonProcess> AttachPython(const PythonFile& file, uint64_t bias, pid_t pid,
                                           agent::MemoryReader read) {
  const uint64_t runtime = file.runtime_address + bias;
  PythonProcess process;
  FLARE_ASSIGN(process.layout, LayoutOf(file, runtime, read));
  FLARE_ASSIGN(const std::vector<PythonThread> threads,
               ListPythonThreads(process.layout, runtime, read));
  const PythonStateSearch search = {.file = file,
                                    .layout = process.layout,
                                    .threads = threads,
                                    .library = FindThreadLibrary(pid, file.machine, read),
                                    .bias = bias};
  FLARE_ASSIGN(const PythonStatePlace place, FindStatePlace(search, read));
  process.kernel_side = process.layout.frames;
  process.kernel_side.state_levels = place.levels;
  for (size_t i = 0; i < place.offsets.size(); ++i)
    process.kernel_side.state_offsets[i] = place.offsets[i];
  process.thread_pointer_offset = search.library.thread_pointer_offset;
  if (file.code_type_address != 0)
    process.code_type = file.code_type_address + bias;
  return process;
}

}  // namespace flarestack::record::runtime
