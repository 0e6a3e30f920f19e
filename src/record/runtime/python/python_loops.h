// SPDX-License-Identifier: Apache-2.0
//
// Finds the parts of the interpreter loop that have no symbol. Compilers move the rarely used parts
// of a function elsewhere; .symtab has them as "name.cold", but a stripped file does not. They are
// recognized by the jumps between them and the function.
#pragma once

#include <vector>

#include "elf/elf_file.h"
#include "elf/symbol_ranges.h"

namespace flarestack::record::runtime {

// Appends to `loops`, and sorts it. Finds nothing in files without unwind information.
void AppendDetachedParts(const elf::ElfFile& file, std::vector<elf::AddressRange>* loops);

}  // namespace flarestack::record::runtime
