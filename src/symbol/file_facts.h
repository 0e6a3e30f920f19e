// SPDX-License-Identifier: Apache-2.0
//
// Facts about a program, library or debug file from its headers, without reading its symbols.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct FileFacts {
  // GNU, Go, htlhash. The htlhash identifies the bytes of the executable, so a debug file has none.
  std::vector<FileId> ids;
  bool has_code = false;         // false for a debug file, which has empty code sections
  bool has_lines = false;        // DWARF
  bool has_symbols = false;      // DWARF, .symtab, or Go's function table
  std::string supplementary_id;  // the build id of the file made by dwz; usually empty
};

// Returns kInvalidArgument if it is not a supported ELF file. The file may be untrusted.
absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path);

}  // namespace flarestack::symbol
