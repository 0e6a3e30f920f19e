// SPDX-License-Identifier: Apache-2.0
//
// The process that a test runs in, as input for unwinding its stack.
#pragma once

#include <sys/types.h>
#include <ucontext.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "record/unwind/stack_walk.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind::testing {

// The rules of all files that this process has loaded; also valid for its forks.
class OwnRules final : public RuleSource {
 public:
  OwnRules();

  bpf::unwind_rule RuleAt(uint64_t address) override;

  // "libc.so.6+0x1234", for messages.
  std::string Describe(uint64_t address) const;

 private:
  struct Object {
    std::string path;
    uint64_t bias = 0;
    std::vector<CodeSpan> spans;  // addresses in the process
    base::MappedFile file;
    std::optional<UnwindTable> table;
  };

  void Add(Object object);
  const Object* Find(uint64_t address) const;

  std::vector<std::unique_ptr<Object>> objects_;
};

// The memory of a process, our own or a child's.
class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool Read(uint64_t address, std::span<std::byte> target) override;

 private:
  pid_t pid_;
};

bpf::unwind_registers RegistersOf(const ucontext_t& context);

}  // namespace flarestack::record::unwind::testing
