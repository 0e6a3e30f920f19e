// SPDX-License-Identifier: Apache-2.0
//
// The ids of a file, and whether two lists of ids are of the same file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "elf/elf_outline.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

// GNU, Go, htlhash, as far as there are.
std::vector<FileId> IdsOf(const elf::ElfOutline& outline);

enum class IdMatch { kSame, kOther, kUnknown };

// The best kind that both have decides. The htlhash of a debug file is never that of its program,
// so there it is left out.
IdMatch Match(std::span<const FileId> wanted, const elf::ElfOutline& found);

// "build id ab12", "Go build id x/y", "htlhash 34cd".
std::string ToText(const FileId& id);

// The text of the first id of the kind; empty when there is none.
std::string IdText(std::span<const FileId> ids, IdKind kind);

}  // namespace flarestack::symbol
