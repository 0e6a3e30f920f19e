// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/language_file.h"

#include <utility>

#include "base/status.h"

namespace flarestack::record::runtime {

LanguageFile::LanguageFile(PythonFile file) : python(std::move(file)) { loops = python.loops; }

absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindLanguage(const elf::ElfFile& file) {
  FLARE_ASSIGN(PythonFile python, ReadPythonFile(file));
  return std::make_shared<const LanguageFile>(std::move(python));
}

}  // namespace flarestack::record::runtime
