// SPDX-License-Identifier: Apache-2.0
#include "symbol/file_facts.h"

#include <vector>

#include "base/status.h"
#include "elf/debug_files/debug_link.h"
#include "elf/elf_outline.h"
#include "symbol/file_ids.h"

namespace flarestack::symbol {
namespace {

bool HasBytes(const elf::ElfFile& file, std::string_view section_name) {
  const elf::Section* section = file.FindSection(section_name);
  return section != nullptr && !file.SectionBytes(*section).empty();
}

}  // namespace

absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path) {
  FLARE_ASSIGN(const elf::ElfOutline outline, elf::ElfOutline::Read(path));
  const elf::ElfFile& file = outline.file();
  FileFacts facts;
  facts.ids = IdsOf(outline);
  facts.has_code = !outline.is_debug_file();
  if (!facts.has_code)
    std::erase_if(facts.ids, [](const FileId& id) { return id.kind == IdKind::kHtlHash; });
  facts.has_lines = HasBytes(file, ".debug_info");
  facts.has_symbols = facts.has_lines || HasBytes(file, ".symtab") || HasBytes(file, ".gopclntab");
  if (const auto link = elf::ReadDebugAltLink(file); link.ok())
    facts.supplementary_id = link->build_id;
  return facts;
}

}  // namespace flarestack::symbol
