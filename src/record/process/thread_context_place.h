// SPDX-License-Identifier: Apache-2.0
//
// Where the threads of a process keep the pointer to their active context (OTEP 4947): in the
// thread-local variable otel_thread_ctx_v1 of the program or of one of its libraries. How far it is
// from the thread pointer is known from the program itself, or was written by the dynamic linker
// into a word that we read.
//
//   program               place follows from its PT_TLS segment
//   TPOFF/TPREL word      the distance itself
//   TLSDESC words         the distance, or the address of {module, place in its block}
//   DTPMOD word           the module; each thread has a vector (DTV) of the blocks of modules
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/loaded_image.h"
#include "record/bpf/layout.h"
#include "record/process/process_memory.h"

namespace flarestack::record::agent {

inline constexpr std::string_view kThreadContextVariable = "otel_thread_ctx_v1";

enum class CLibrary { kGlibc, kMusl };

// A program or library of the process.
struct ThreadLocalModule {
  elf::LoadedImage image;
  bool is_program = false;  // not a library
};

// In the order of look-up: the program first. kNotFound when no module has the variable,
// kUnavailable when it has but its place is not known (yet): a module that is just being loaded,
// or a way to reach the variable that nobody writes down.
absl::StatusOr<bpf::thread_context_place> PlaceInModules(std::span<const ThreadLocalModule> modules,
                                                         CLibrary library, MemoryReader read);

// The same for a running process.
absl::StatusOr<bpf::thread_context_place> FindThreadContextPlace(pid_t pid);

// The address of the variable in the thread with this thread pointer, by the steps that the
// kernel's side takes. kUnavailable when the thread has no block of the module yet.
absl::StatusOr<uint64_t> ThreadContextAddress(const bpf::thread_context_place& place,
                                              uint64_t thread_pointer, MemoryReader read);

}  // namespace flarestack::record::agent
