// SPDX-License-Identifier: Apache-2.0
//
// Recognizes the runtimes of all supported languages in files.
#pragma once

#include "record/code/runtime_file.h"
#include "record/runtime/python/python_file.h"

namespace flarestack::record::runtime {

class LanguageFile final : public agent::RuntimeFile {
 public:
  explicit LanguageFile(PythonFile file);

  PythonFile python;
};

// A RuntimeFinder.
absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindLanguage(const elf::ElfFile& file);

}  // namespace flarestack::record::runtime
