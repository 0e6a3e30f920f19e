// SPDX-License-Identifier: Apache-2.0
//
// What the headers of a program, library or debug file say about it, without reading its symbols.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct FileFacts {
  // GNU, Go, htlhash. The last one names the bytes of what runs, so a debug file has none.
  std::vector<FileId> ids;
  bool has_code = false;         // what runs; a debug file has the place of the code alone
  bool has_lines = false;        // DWARF
  bool has_symbols = false;      // DWARF, .symtab, or the table of Go
  std::string supplementary_id;  // the build id of the file that dwz made; mostly empty
};

// kInvalidArgument when it is no ELF file of the kind we read. The file may be anybody's.
absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path);

}  // namespace flarestack::symbol
