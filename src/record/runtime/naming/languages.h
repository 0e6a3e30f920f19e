// SPDX-License-Identifier: Apache-2.0
//
// Recognizes the runtimes of all supported languages in files.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "record/code/runtime_file.h"

namespace flarestack::record::runtime {

// A RuntimeFinder; its result is a LanguageFile.
absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindLanguage(const elf::ElfFile& file);

// One per language. Each returns kNotFound if the file does not contain its runtime.
absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindPython(const elf::ElfFile& file);
absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindJava(const elf::ElfFile& file);
absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindV8(const elf::ElfFile& file);

}  // namespace flarestack::record::runtime
