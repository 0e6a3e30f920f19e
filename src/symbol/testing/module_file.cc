// SPDX-License-Identifier: Apache-2.0
#include "symbol/testing/module_file.h"

#include <elf.h>

#include "elf/testing/elf_builder.h"

namespace flarestack::symbol::testing {

std::string MakeModuleFile(const ModuleParts& parts) {
  elf::testing::ElfBuilder builder;
  builder.AddSection({.name = ".text",
                      .type = parts.has_code ? uint32_t{SHT_PROGBITS} : uint32_t{SHT_NOBITS},
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .address = 0x1000,
                      .bytes = parts.has_code ? parts.code : "",
                      .nobits_bytes = 4});
  const auto add_note = [&builder](const char* name, const std::string& note) {
    builder.AddSection({.name = name, .type = SHT_NOTE, .bytes = note});
  };
  if (!parts.gnu_id_bytes.empty())
    add_note(".note.gnu.build-id", elf::testing::Note("GNU", 3, parts.gnu_id_bytes));
  if (!parts.go_id.empty())
    add_note(".note.go.buildid", elf::testing::Note("Go", 4, parts.go_id));
  if (!parts.supplementary_id_bytes.empty()) {
    builder.AddSection(
        {.name = ".gnu_debugaltlink",
         .bytes = std::string("shared.debug") + '\0' + parts.supplementary_id_bytes});
  }
  if (parts.has_symbols)
    builder.AddSymbols(".symtab", {{.name = "main", .address = 0x1000, .section = 1}});
  return builder.Build();
}

}  // namespace flarestack::symbol::testing
