// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/testing/mixed_stacks.h"

#include <sys/uio.h>

#include <utility>

#include "base/status.h"
#include "elf/elf_file.h"
#include "elf/kernel/vdso.h"
#include "record/runtime/v8/v8_process.h"
#include "record/unwind/row.h"

namespace flarestack::record::runtime::testing {
namespace {

class OtherMemory final : public unwind::Memory {
 public:
  explicit OtherMemory(pid_t pid) : pid_(pid) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    const iovec to = {.iov_base = target.data(), .iov_len = target.size()};
    const iovec from = {.iov_base = reinterpret_cast<void*>(address), .iov_len = target.size()};
    return process_vm_readv(pid_, &to, 1, &from, 1, 0) == static_cast<ssize_t>(target.size());
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

 private:
  pid_t pid_;
};

class OneRule final : public unwind::RuleSource {
 public:
  explicit OneRule(const bpf::unwind_rule& rule) : rule_(rule) {}
  bpf::unwind_rule RuleAt(uint64_t) override { return rule_; }

 private:
  bpf::unwind_rule rule_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MixedStacks>> MixedStacks::Of(pid_t pid) {
  std::unique_ptr<MixedStacks> stacks(new MixedStacks(pid));
  FLARE_RETURN_IF_ERROR(stacks->Refresh());
  absl::Status status = absl::NotFoundError("no mapped file has V8");
  for (const agent::ProcessMapping& mapping : stacks->mappings_) {
    if (mapping.kind != agent::MappingKind::kFile)
      continue;
    File* const file = stacks->FileOf(mapping.path);
    const auto parsed = elf::ElfFile::Parse(file->bytes.bytes());
    if (!parsed.ok())
      continue;
    auto v8 = V8File::Read(*parsed);
    if (!v8.ok()) {
      if (v8.status().code() != absl::StatusCode::kNotFound)
        status = v8.status();
      continue;
    }
    file->has_v8 = true;
    stacks->v8_ = *std::move(v8);
    FLARE_ASSIGN(stacks->process_, MakeV8Process(stacks->v8_));
    return stacks;
  }
  return status;
}

absl::Status MixedStacks::Refresh() {
  FLARE_ASSIGN(mappings_, agent::ReadMaps(pid_, agent::MapsChoice::kExecutable));
  return absl::OkStatus();
}

MixedStacks::File* MixedStacks::FileOf(const std::string& path) {
  for (const auto& file : files_) {
    if (file->path == path)
      return file.get();
  }
  File* const file = files_.emplace_back(std::make_unique<File>()).get();
  file->path = path;
  std::string_view bytes;
  if (path == "[vdso]") {
    bytes = elf::OwnVdsoBytes().value_or(std::string_view());
  } else if (auto opened = base::MappedFile::Open(path); opened.ok()) {
    file->bytes = *std::move(opened);
    bytes = file->bytes.bytes();
  }
  if (const auto parsed = elf::ElfFile::Parse(bytes); parsed.ok()) {
    if (auto table = unwind::UnwindTable::Of(*parsed); table.ok())
      file->table = *std::move(table);
    file->addresses = elf::AddressMap(*parsed);
    if (auto symbols = elf::ReadFunctionSymbols(*parsed); symbols.ok())
      file->symbols = *std::move(symbols);
  }
  return file;
}

const agent::ProcessMapping* MixedStacks::FindMapping(uint64_t address) const {
  for (const agent::ProcessMapping& mapping : mappings_) {
    if (address >= mapping.start && address < mapping.end)
      return &mapping;
  }
  return nullptr;
}

std::optional<uint64_t> MixedStacks::AddressInFile(const agent::ProcessMapping& mapping,
                                                   const File& file, uint64_t address) const {
  return file.addresses.RuntimeToAddress(
      address, {.start = mapping.start, .end = mapping.end, .file_offset = mapping.file_offset});
}

std::optional<uint64_t> MixedStacks::AddressInV8(uint64_t address) const {
  const agent::ProcessMapping* const mapping = FindMapping(address);
  if (mapping == nullptr)
    return std::nullopt;
  for (const auto& file : files_) {
    if (file->has_v8 && file->path == mapping->path)
      return AddressInFile(*mapping, *file, address);
  }
  return std::nullopt;
}

MixedStack MixedStacks::Walk(const bpf::unwind_registers& interrupted) {
  bpf::unwind_registers registers = interrupted;
  OtherMemory memory(pid_);
  const V8Step v8_step = {.process = process_, .memory = memory};
  MixedStack stack;
  while (stack.end == bpf::UNWIND_MORE) {
    if (stack.frames.size() >= bpf::USER_FRAMES_WALKED_MAX) {
      stack.end = bpf::UNWIND_TOO_DEEP;
      break;
    }
    const uint64_t lookup = registers.pc - registers.is_return_address;
    const agent::ProcessMapping* const mapping = FindMapping(lookup);
    if (mapping == nullptr) {
      stack.end = bpf::UNWIND_NO_MAPPING;
      break;
    }
    MixedFrame frame = {.pc = registers.pc};
    const bool is_file =
        mapping->kind == agent::MappingKind::kFile || mapping->kind == agent::MappingKind::kVdso;
    const std::optional<uint64_t> in_v8 = AddressInV8(lookup);
    const bool is_builtin =
        in_v8.has_value() && *in_v8 >= v8_.builtins_begin && *in_v8 < v8_.builtins_end;
    if (!is_file || is_builtin) {
      frame.is_v8 = true;
      stack.end = v8_step.Walk(&registers, is_builtin, &frame.words);
    } else {
      File* const file =
          FileOf(mapping->kind == agent::MappingKind::kVdso ? "[vdso]" : mapping->path);
      const std::optional<uint64_t> address = AddressInFile(*mapping, *file, lookup);
      bpf::unwind_rule rule = unwind::RuleOfKind(bpf::RULE_NONE);
      if (file->table.has_value() && address.has_value()) {
        rule = file->table->Find(*address);
        if (const elf::ElfSymbol* symbol = elf::FindSymbol(file->symbols, *address))
          frame.symbol = symbol->name;
      }
      OneRule rules(rule);
      unwind::StackWalk walk(registers, memory, rules);
      stack.end = walk.Step();
      registers = walk.registers();
    }
    stack.frames.push_back(std::move(frame));
  }
  return stack;
}

}  // namespace flarestack::record::runtime::testing
