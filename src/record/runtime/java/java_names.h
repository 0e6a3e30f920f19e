// SPDX-License-Identifier: Apache-2.0
//
// Names the frames that java_step.h found, from the memory of the process.
//
//   JavaNames names(*process);
//   FLARE_ASSIGN(const NamedFrame frame, names.Name(read, words));
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_method.h"
#include "record/runtime/java/java_process.h"
#include "record/runtime/java/java_scopes.h"
#include "record/runtime/java/java_walk.h"
#include "record/runtime/named_frame.h"

namespace flarestack::record::runtime {

// A full cache is emptied.
struct JavaNamesLimits {
  size_t methods_max = 8192;
  size_t frames_max = 16384;
};

class JavaNames {
 public:
  // `process` must outlive this object.
  explicit JavaNames(const JavaProcess& process, const JavaNamesLimits& limits = {})
      : process_(process), limits_(limits) {}

  // Returns kNotFound if the method was unloaded or recompiled since the frame was walked,
  // kInvalidArgument if the words are not those of a Java frame, or the error of `read`.
  absl::StatusOr<NamedFrame> Name(agent::MemoryReader read, const JavaWords& words);

  size_t cached_frames() const { return frames_.size(); }
  size_t cached_methods() const { return methods_.size(); }

 private:
  absl::StatusOr<NamedFrame> Interpreted(agent::MemoryReader read, const JavaWords& words);
  absl::StatusOr<NamedFrame> Compiled(agent::MemoryReader read, const JavaWords& words);
  absl::StatusOr<NamedFrame> Stub(agent::MemoryReader read, const JavaWords& words);
  absl::StatusOr<const JavaMethod*> Method(agent::MemoryReader read, uint64_t address);
  std::string StubName(agent::MemoryReader read, const JavaStub& blob, uint64_t pc) const;

  const JavaProcess& process_;
  JavaNamesLimits limits_;
  absl::flat_hash_map<std::pair<uint64_t, uint32_t>, JavaMethod> methods_;  // address, identity
  absl::flat_hash_map<JavaWords, NamedFrame> frames_;
};

}  // namespace flarestack::record::runtime
