// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/testing/other_process.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <utility>

#include "base/text/text.h"
#include "elf/elf_file.h"
#include "elf/kernel/vdso.h"
#include "record/unwind/testing/thread_registers.h"

namespace flarestack::record::runtime::testing {

bool OtherMemory::Read(uint64_t address, std::span<std::byte> target) {
  iovec local = {.iov_base = target.data(), .iov_len = target.size()};
  iovec remote = {.iov_base = reinterpret_cast<void*>(address), .iov_len = target.size()};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(target.size());
}

const agent::ProcessMapping* OtherRules::Find(uint64_t address) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const auto& mapping : mappings_) {
      if (address >= mapping.start && address < mapping.end)
        return &mapping;
    }
    auto mappings = agent::ReadMaps(pid_, agent::MapsChoice::kExecutable);
    if (attempt == 0 && mappings.ok())
      mappings_ = *std::move(mappings);
  }
  return nullptr;
}

OtherRules::File& OtherRules::Open(const agent::ProcessMapping& mapping) {
  auto& file = files_[mapping.path];
  if (file != nullptr)
    return *file;
  file = std::make_unique<File>();
  std::string_view bytes;
  if (mapping.kind == agent::MappingKind::kVdso) {
    bytes = elf::OwnVdsoBytes().value_or(std::string_view());
  } else if (auto mapped = base::MappedFile::Open(mapping.path); mapped.ok()) {
    file->mapped = *std::move(mapped);
    bytes = file->mapped.bytes();
  }
  if (const auto parsed = elf::ElfFile::Parse(bytes); parsed.ok()) {
    if (auto table = unwind::UnwindTable::Of(*parsed); table.ok())
      file->table = *std::move(table);
  }
  return *file;
}

bpf::unwind_rule OtherRules::RuleAt(uint64_t address) {
  const agent::ProcessMapping* mapping = Find(address);
  if (mapping == nullptr)
    return unwind::RuleOfKind(bpf::RULE_NONE);
  const File& file = Open(*mapping);
  if (!file.table.has_value())
    return unwind::RuleOfKind(bpf::RULE_NONE);
  // The address in the file follows from the segment that is mapped here.
  uint64_t file_address = address - mapping->start + mapping->file_offset;
  if (const auto parsed = elf::ElfFile::Parse(file.mapped.bytes()); parsed.ok()) {
    for (const elf::Segment& segment : parsed->segments()) {
      if (segment.type == PT_LOAD && segment.is_executable() && file_address >= segment.offset &&
          file_address - segment.offset < segment.file_bytes) {
        file_address = file_address - segment.offset + segment.address;
        break;
      }
    }
  }
  return file.table->Find(file_address);
}

std::string OtherRules::Describe(uint64_t address) {
  const agent::ProcessMapping* mapping = Find(address);
  if (mapping == nullptr)
    return base::Hex(address);
  return base::StrCat(mapping->path.substr(mapping->path.rfind('/') + 1), "+",
                      base::Hex(address - mapping->start + mapping->file_offset));
}

StoppedThread::StoppedThread(pid_t tid) : tid_(tid) {
  is_seized_ = ptrace(PTRACE_SEIZE, tid_, nullptr, nullptr) == 0;
  int status = 0;
  is_stopped_ = is_seized_ && ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) == 0 &&
                waitpid(tid_, &status, __WALL) == tid_ && WIFSTOPPED(status);
  // A signal that arrived first is passed on, and the stop follows.
  while (is_stopped_ && status >> 16 != PTRACE_EVENT_STOP) {
    is_stopped_ = ptrace(PTRACE_CONT, tid_, nullptr, WSTOPSIG(status)) == 0 &&
                  waitpid(tid_, &status, __WALL) == tid_ && WIFSTOPPED(status);
  }
}

StoppedThread::~StoppedThread() {
  if (is_seized_)
    ptrace(PTRACE_DETACH, tid_, nullptr, nullptr);
}

bpf::unwind_registers StoppedThread::Registers() const {
  return unwind::testing::ReadRegisters(tid_).value_or(bpf::unwind_registers());
}

}  // namespace flarestack::record::runtime::testing
