// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/testing/own_process.h"

#include <link.h>
#include <sys/uio.h>

#include <utility>

#include "base/text/text.h"
#include "elf/elf_file.h"
#include "elf/kernel/vdso.h"

namespace flarestack::record::unwind::testing {

OwnRules::OwnRules() {
  const auto visit = [](dl_phdr_info* info, size_t, void* self) {
    Object object;
    object.path = info->dlpi_name;
    object.bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
        const uint64_t begin = object.bias + segment.p_vaddr;
        object.spans.push_back({.begin = begin, .end = begin + segment.p_memsz});
      }
    }
    static_cast<OwnRules*>(self)->Add(std::move(object));
    return 0;
  };
  dl_iterate_phdr(visit, this);
}

void OwnRules::Add(Object object) {
  const bool is_vdso = object.path.find("vdso") != std::string::npos;
  std::string_view bytes;
  if (is_vdso) {
    bytes = elf::OwnVdsoBytes().value_or(std::string_view());
  } else {
    auto file = base::MappedFile::Open(object.path.empty() ? "/proc/self/exe" : object.path);
    if (!file.ok())
      return;
    object.file = *std::move(file);
    bytes = object.file.bytes();
  }
  auto& added = objects_.emplace_back(std::make_unique<Object>(std::move(object)));
  if (const auto parsed = elf::ElfFile::Parse(bytes); parsed.ok()) {
    if (auto table = UnwindTable::Of(*parsed); table.ok())
      added->table = *std::move(table);
  }
}

const OwnRules::Object* OwnRules::Find(uint64_t address) const {
  for (const auto& object : objects_) {
    for (const CodeSpan& span : object->spans) {
      if (address >= span.begin && address < span.end)
        return object.get();
    }
  }
  return nullptr;
}

bpf::unwind_rule OwnRules::RuleAt(uint64_t address) {
  const Object* object = Find(address);
  if (object == nullptr || !object->table.has_value())
    return RuleOfKind(bpf::RULE_NONE);
  return object->table->Find(address - object->bias);
}

std::string OwnRules::Describe(uint64_t address) const {
  const Object* object = Find(address);
  if (object == nullptr)
    return base::Hex(address);
  return base::StrCat(object->path.substr(object->path.rfind('/') + 1), "+",
                      base::Hex(address - object->bias));
}

bool ProcessMemory::Read(uint64_t address, std::span<std::byte> target) {
  iovec local = {.iov_base = target.data(), .iov_len = target.size()};
  iovec remote = {.iov_base = reinterpret_cast<void*>(address), .iov_len = target.size()};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(target.size());
}

bpf::unwind_registers RegistersOf(const ucontext_t& context) {
  bpf::unwind_registers registers = {};
#if defined(__x86_64__)
  const auto& saved = context.uc_mcontext.gregs;
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (size_t i = 0; i < std::size(kOrder); ++i)
    registers.regs[i] = static_cast<uint64_t>(saved[kOrder[i]]);
  registers.pc = static_cast<uint64_t>(saved[REG_RIP]);
#else
  for (size_t i = 0; i < 31; ++i)
    registers.regs[i] = context.uc_mcontext.regs[i];
  registers.regs[bpf::ARM64_REG_SP] = context.uc_mcontext.sp;
  registers.pc = context.uc_mcontext.pc;
#endif
  registers.has_all = 1;
  return registers;
}

}  // namespace flarestack::record::unwind::testing
