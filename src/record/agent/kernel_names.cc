// SPDX-License-Identifier: Apache-2.0
#include "record/agent/kernel_names.h"

#include <utility>
#include <vector>

#include "base/file.h"
#include "elf/build_id.h"
#include "elf/kernel_modules.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kKallsymsBytesMax = uint64_t{256} << 20;
constexpr uint64_t kSmallFileBytesMax = uint64_t{16} << 20;

}  // namespace

std::optional<elf::KernelFunction> KernelNames::Find(uint64_t address) {
  Read();
  if (!symbols_)
    return std::nullopt;
  return symbols_->Find(address);
}

absl::Status KernelNames::status() {
  Read();
  return status_;
}

const std::string& KernelNames::build_id() {
  if (!build_id_) {
    const auto notes = base::ReadFile(sys_ + "/kernel/notes", kSmallFileBytesMax);
    build_id_ = notes.ok() ? elf::GnuBuildIdOfNotes(*notes) : "";
  }
  return *build_id_;
}

void KernelNames::Read() {
  if (is_read_)
    return;
  is_read_ = true;
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
