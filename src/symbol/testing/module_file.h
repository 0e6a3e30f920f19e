// SPDX-License-Identifier: Apache-2.0
//
// Small ELF files with the parts that a symbol search inspects: ids, code or its empty sections,
// symbols, the name of a supplementary file.
#pragma once

#include <string>

namespace flarestack::symbol::testing {

struct ModuleParts {
  std::string gnu_id_bytes = "0123456789abcdef";  // raw bytes, not hexadecimal
  std::string go_id;
  bool has_code = true;
  bool has_symbols = false;
  std::string code = "code";
  std::string supplementary_id_bytes;
};

std::string MakeModuleFile(const ModuleParts& parts);

}  // namespace flarestack::symbol::testing
