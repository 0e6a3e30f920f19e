// SPDX-License-Identifier: Apache-2.0
//
// Another process that runs generated code, as input for walking its stacks: its memory, the rules
// of its files, and the registers of a thread that is stopped for a moment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "record/process/proc/process_maps.h"
#include "record/unwind/stack_walk.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::runtime::testing {

class OtherMemory final : public unwind::Memory {
 public:
  explicit OtherMemory(pid_t pid) : pid_(pid) {}
  bool Read(uint64_t address, std::span<std::byte> target) override;
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

 private:
  pid_t pid_;
};

// The rules of the files that a process has mapped.
class OtherRules final : public unwind::RuleSource {
 public:
  explicit OtherRules(pid_t pid) : pid_(pid) {}

  bpf::unwind_rule RuleAt(uint64_t address) override;

  // "libc.so.6+0x1234", for messages.
  std::string Describe(uint64_t address);

 private:
  struct File {
    base::MappedFile mapped;
    std::optional<unwind::UnwindTable> table;
  };

  const agent::ProcessMapping* Find(uint64_t address);
  File& Open(const agent::ProcessMapping& mapping);

  pid_t pid_;
  std::vector<agent::ProcessMapping> mappings_;
  std::map<std::string, std::unique_ptr<File>> files_;
};

// Stops a thread of another process as long as this object exists.
class StoppedThread {
 public:
  explicit StoppedThread(pid_t tid);
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;
  ~StoppedThread();

  bool is_stopped() const { return is_stopped_; }
  bpf::unwind_registers Registers() const;

 private:
  pid_t tid_;
  bool is_seized_ = false;
  bool is_stopped_ = false;
};

}  // namespace flarestack::record::runtime::testing
