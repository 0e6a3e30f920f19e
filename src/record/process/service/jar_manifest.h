// SPDX-License-Identifier: Apache-2.0
//
// Reads the manifest of a jar, a zip file that a Java program runs from. The file belongs to
// another process, so every byte of it is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Returns up to `bytes` bytes at `offset`, fewer at the end of the file.
using JarReader = absl::FunctionRef<absl::StatusOr<std::string>(uint64_t offset, size_t bytes)>;

// Returns the text of META-INF/MANIFEST.MF. Returns kNotFound if there is none, kInvalidArgument if
// the file is not a zip file or damaged. zip64 files, with 65,535 entries or more, are not
// supported.
absl::StatusOr<std::string> ReadJarManifest(uint64_t file_bytes, JarReader read);

// Returns the value of an attribute in the main section, with its continuation lines; empty if it
// is missing. The case of the name does not matter.
std::string ManifestValue(std::string_view manifest, std::string_view name);

}  // namespace flarestack::record::agent
