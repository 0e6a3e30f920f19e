// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/kernel_names.h"

#include <iterator>
#include <utility>
#include <vector>

#include "base/file/file.h"
#include "elf/build_id.h"
#include "elf/kernel/kernel_symbols.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kKallsymsBytesMax = uint64_t{256} << 20;
constexpr uint64_t kSmallFileBytesMax = uint64_t{16} << 20;

}  // namespace

std::optional<elf::KernelFunction> KernelNames::Find(uint64_t address, Time now) {
  if (auto program = FindProgram(address); program.has_value())
    return program;
  ReadOnce(now);
  auto found = symbols_ ? symbols_->Find(address) : std::nullopt;
  if (!found.has_value() && symbols_ && now - *read_at_ >= kReadInterval) {
    Read(now);
    found = symbols_ ? symbols_->Find(address) : std::nullopt;
  }
  return found;
}

std::optional<elf::KernelFunction> KernelNames::FindProgram(uint64_t address) const {
  const auto after = programs_.upper_bound(address);
  if (after == programs_.begin())
    return std::nullopt;
  const auto& [begin, program] = *std::prev(after);
  if (address >= program.end)
    return std::nullopt;
  return elf::KernelFunction{
      .begin = begin, .end = program.end, .name = program.name, .module = "bpf"};
}

void KernelNames::Apply(const KernelSymbolEvent& event) {
  if (!event.is_added || event.length == 0)
    return;
  const uint64_t end = event.address + event.length;
  auto old = programs_.lower_bound(event.address);
  if (old != programs_.begin() && std::prev(old)->second.end > event.address)
    --old;
  while (old != programs_.end() && old->first < end)
    old = programs_.erase(old);
  // Dropped programs are found when the symbols are read again.
  if (programs_.size() >= kProgramsMax)
    programs_.clear();
  programs_.insert_or_assign(event.address, Program{.end = end, .name = std::string(event.name)});
}

absl::Status KernelNames::status() {
  ReadOnce(std::chrono::steady_clock::now());
  return status_;
}

const std::string& KernelNames::build_id() {
  if (!build_id_) {
    const auto notes = base::ReadFile(sys_ + "/kernel/notes", kSmallFileBytesMax);
    build_id_ = notes.ok() ? elf::GnuBuildIdOfNotes(*notes) : "";
  }
  return *build_id_;
}

void KernelNames::ReadOnce(Time now) {
  if (!read_at_.has_value())
    Read(now);
}

void KernelNames::Read(Time now) {
  read_at_ = now;
  symbols_.reset();
  const auto text = base::ReadFile(proc_ + "/kallsyms", kKallsymsBytesMax);
  if (!text.ok()) {
    status_ = text.status();
    return;
  }
  std::vector<elf::KernelModule> modules;
  if (const auto listed = base::ReadFile(proc_ + "/modules", kSmallFileBytesMax); listed.ok()) {
    if (auto parsed = elf::ParseKernelModules(*listed); parsed.ok())
      modules = *std::move(parsed);
  }
  auto symbols = elf::KernelSymbols::Parse(*text, modules);
  status_ = symbols.status();
  if (symbols.ok())
    symbols_.emplace(*std::move(symbols));
}

}  // namespace flarestack::record::agent
