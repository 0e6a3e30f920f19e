// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/d_demangle.h"

#include "symbol/demangle/d_name.h"

namespace flarestack::symbol {

std::optional<std::string> DemangleD(std::string_view mangled) {
  if (mangled == "_Dmain")
    return "D main";
  if (!mangled.starts_with("_D"))
    return std::nullopt;
  return DName(mangled).Read();
}

}  // namespace flarestack::symbol
