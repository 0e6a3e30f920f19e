// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/languages.h"

namespace flarestack::record::runtime {

absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindLanguage(const elf::ElfFile& file) {
  for (const auto find : {FindPython, FindJava, FindV8}) {
    auto found = find(file);
    if (found.ok() || !absl::IsNotFound(found.status()))
      return found;
  }
  return absl::NotFoundError("the file contains no supported runtime");
}

}  // namespace flarestack::record::runtime
