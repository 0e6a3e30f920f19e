// SPDX-License-Identifier: Apache-2.0
//
// Finds where the threads of a process keep the pointer to their active context (OTEP 4947): in the
// thread-local variable otel_thread_ctx_v1 of the program or of one of its libraries. Its offset
// from the thread pointer follows from the program itself, or the dynamic linker has written it
// into a word that we read.
//
//   program               place follows from its PT_TLS segment
//   TPOFF/TPREL word      the offset itself
//   TLSDESC words         the offset, or the address of {module, place in its block}
//   DTPMOD word           the module; each thread has a vector (DTV) of the blocks of modules
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/loaded_image.h"
#include "record/bpf/layout.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::agent {

inline constexpr std::string_view kThreadContextVariable = "otel_thread_ctx_v1";

enum class CLibrary { kGlibc, kMusl };

// A program or library of the process.
struct ThreadLocalModule {
  elf::LoadedImage image;
  bool is_program = false;  // not a library
};

// `modules` are in lookup order, the program first. Returns kNotFound if no module has the
// variable, kUnavailable if one has it but its place is not known (yet): the module is still being
// loaded, or its way to reach the variable leaves no word to read.
absl::StatusOr<bpf::thread_context_place> PlaceInModules(std::span<const ThreadLocalModule> modules,
                                                         CLibrary library, MemoryReader read);

// The same for a running process.
absl::StatusOr<bpf::thread_context_place> FindThreadContextPlace(pid_t pid);

// Returns the address of the variable in the thread with this thread pointer, with the same steps
// as in BPF. Returns kUnavailable if the thread has no block of the module yet.
absl::StatusOr<uint64_t> ThreadContextAddress(const bpf::thread_context_place& place,
                                              uint64_t thread_pointer, MemoryReader read);

}  // namespace flarestack::record::agent
