// SPDX-License-Identifier: Apache-2.0
//
// A language runtime of one process, and a file that contains one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "record/bpf/runtimes.h"
#include "record/code/runtime_file.h"
#include "record/process/proc/process_memory.h"
#include "record/process/processes.h"
#include "record/runtime/named_frame.h"
#include "record/runtime/v8/source_maps.h"

namespace flarestack::record::runtime {

class AttachedRuntime {
 public:
  virtual ~AttachedRuntime() = default;

  // Adds what BPF needs.
  virtual void Describe(bpf::runtime_process* process) const = 0;

  virtual bpf::frame_kind frame_kind() const = 0;

  virtual agent::RuntimeIdentity identity() const = 0;

  struct RawFrame {
    uint64_t word = 0;
    uint64_t operand = 0;
    std::optional<uint64_t> address_in_file;  // of PcOf, if it is in the file of the runtime
  };

  // Returns the pc of a frame whose name depends on where the file is mapped.
  virtual std::optional<uint64_t> PcOf(const RawFrame& /*frame*/) const { return std::nullopt; }

  // Returns a frame without functions if the language itself hides it, and an error if the object
  // is gone or was replaced.
  virtual absl::StatusOr<NamedFrame> Name(const RawFrame& frame, agent::MemoryReader read) = 0;
};

struct ProcessAndFile {
  pid_t pid = 0;
  uint64_t bias = 0;  // address in the process - address in the file
  agent::MemoryReader read;
  SourceMaps& source_maps;  // outlives the runtime
};

// A file that contains a runtime.
class LanguageFile : public agent::RuntimeFile {
 public:
  // Returns kUnavailable while the runtime starts.
  virtual absl::StatusOr<std::unique_ptr<AttachedRuntime>> Attach(
      const ProcessAndFile& process) const = 0;
};

}  // namespace flarestack::record::runtime
