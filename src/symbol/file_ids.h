// SPDX-License-Identifier: Apache-2.0
//
// The ids of a file, and a comparison of two lists of ids.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "elf/elf_outline.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

// Returns the GNU, Go and htlhash ids that exist.
std::vector<FileId> IdsOf(const elf::ElfOutline& outline);

enum class IdMatch { kSame, kOther, kUnknown };

// The best kind that both have decides. The htlhash of a debug file never equals that of its
// program, so it is not compared for debug files.
IdMatch Match(std::span<const FileId> wanted, const elf::ElfOutline& found);

// "build id ab12", "Go build id x/y", "htlhash 34cd".
std::string ToText(const FileId& id);

// Returns the text of the first id of this kind; empty if there is none.
std::string IdText(std::span<const FileId> ids, IdKind kind);

}  // namespace flarestack::symbol
