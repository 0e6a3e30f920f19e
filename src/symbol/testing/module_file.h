// SPDX-License-Identifier: Apache-2.0
//
// Small ELF files with what the search for symbols looks at: ids, code or the place of it, symbols,
// the name of a supplementary file.
#pragma once

#include <string>

namespace flarestack::symbol::testing {

struct ModuleParts {
  std::string gnu_id_bytes = "0123456789abcdef";  // as in the file, not in hexadecimal
  std::string go_id;
  bool has_code = true;
  bool has_symbols = false;
  std::string code = "code";
  std::string supplementary_id_bytes;
};

std::string MakeModuleFile(const ModuleParts& parts);

}  // namespace flarestack::symbol::testing
