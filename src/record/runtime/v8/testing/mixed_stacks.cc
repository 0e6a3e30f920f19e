// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/testing/mixed_stacks.h"

#include <sys/uio.h>

#include <utility>

#include "base/status.h"
#include "elf/elf_file.h"
#include "elf/kernel/vdso.h"
#include "record/runtime/naming/mixed_walk.h"
#include "record/runtime/v8/v8_process.h"
#include "record/unwind/rows/row.h"

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

bool MixedStacks::IsBuiltin(uint64_t address) const {
  const std::optional<uint64_t> in_v8 = AddressInV8(address);
  return in_v8.has_value() && *in_v8 >= v8_.builtins_begin && *in_v8 < v8_.builtins_end;
}

MixedStacks::Place MixedStacks::PlaceOf(uint64_t address) {
  const agent::ProcessMapping* const mapping = FindMapping(address);
  const bool is_file = mapping != nullptr && (mapping->kind == agent::MappingKind::kFile ||
                                              mapping->kind == agent::MappingKind::kVdso);
  if (!is_file || IsBuiltin(address))
    return {};
  File* const file = FileOf(mapping->kind == agent::MappingKind::kVdso ? "[vdso]" : mapping->path);
  return {.file = file, .address = AddressInFile(*mapping, *file, address)};
}

// The rules of the files of a process.
class MixedStacks::Code final : public MixedCode {
 public:
  explicit Code(MixedStacks* stacks) : stacks_(*stacks) {}

  bpf::unwind_rule RuleAt(uint64_t address) override {
    const Place place = stacks_.PlaceOf(address);
    if (place.file == nullptr)
      return unwind::RuleOfKind(bpf::RULE_GENERATED);
    if (!place.file->table.has_value() || !place.address.has_value())
      return unwind::RuleOfKind(bpf::RULE_NONE);
    return place.file->table->Find(*place.address);
  }
  bool IsInFile(uint64_t address) override { return stacks_.IsBuiltin(address); }

 private:
  MixedStacks& stacks_;
};

MixedStack MixedStacks::Walk(const bpf::unwind_registers& registers) {
  OtherMemory memory(pid_);
  Code code(this);
  bpf::runtime_process runtime = {};
  runtime.kinds = bpf::RUNTIME_V8;
  runtime.v8 = process_;
  MixedStack stack;
  const auto add = [&](const runtime::MixedFrame& walked) {
    const unwind::WalkedFrame& native = walked.native;
    MixedFrame frame = {.pc = native.pc};
    const Place place = PlaceOf(native.pc - (native.is_return_address ? 1 : 0));
    if (place.file == nullptr) {
      frame.is_v8 = true;
      frame.words = {.frame = walked.word, .operand = walked.operand};
    } else if (place.address.has_value()) {
      if (const elf::ElfSymbol* symbol = elf::FindSymbol(place.file->symbols, *place.address))
        frame.symbol = symbol->name;
    }
    stack.frames.push_back(std::move(frame));
  };
  stack.end = WalkMixed({.registers = registers, .runtime = runtime}, memory, code, add);
  return stack;
}

}  // namespace flarestack::record::runtime::testing
