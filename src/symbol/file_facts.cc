// SPDX-License-Identifier: Apache-2.0
#include "symbol/file_facts.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "base/mapped_file.h"
#include "base/status.h"
#include "elf/build_id.h"
#include "elf/debug_link.h"
#include "elf/elf_file.h"
#include "elf/htl_hash.h"

namespace flarestack::symbol {
namespace {

// A debug file keeps the headers of the code's sections, and drops their bytes.
bool HasCode(const elf::ElfFile& file) {
  if (file.sections().empty()) {
    return std::any_of(file.segments().begin(), file.segments().end(), [](const auto& segment) {
      return segment.type == PT_LOAD && segment.is_executable() && segment.file_bytes > 0;
    });
  }
  return std::any_of(file.sections().begin(), file.sections().end(), [](const auto& section) {
    return (section.flags & SHF_EXECINSTR) != 0 && section.type != SHT_NOBITS &&
           section.size_bytes > 0;
  });
}

bool HasBytes(const elf::ElfFile& file, std::string_view section_name) {
  const elf::Section* section = file.FindSection(section_name);
  return section != nullptr && !file.SectionBytes(*section).empty();
}

}  // namespace

absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path) {
  FLARE_ASSIGN(const base::MappedFile mapped, base::MappedFile::Open(path));
  FLARE_ASSIGN(const elf::ElfFile file, elf::ElfFile::Parse(mapped.bytes()));
  FileFacts facts;
  facts.has_code = HasCode(file);
  facts.has_lines = HasBytes(file, ".debug_info");
  facts.has_symbols = facts.has_lines || HasBytes(file, ".symtab") || HasBytes(file, ".gopclntab");
  const auto add = [&facts](IdKind kind, std::string text) {
    if (!text.empty())
      facts.ids.push_back({kind, std::move(text)});
  };
  add(IdKind::kGnu, elf::GnuBuildId(file));
  add(IdKind::kGo, elf::GoBuildId(file));
  if (facts.has_code)
    add(IdKind::kHtlHash, elf::HtlHash(mapped.bytes()));
  if (const auto link = elf::ReadDebugAltLink(file); link.ok())
    facts.supplementary_id = link->build_id;
  return facts;
}

}  // namespace flarestack::symbol
