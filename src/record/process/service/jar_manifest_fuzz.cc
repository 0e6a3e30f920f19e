// SPDX-License-Identifier: Apache-2.0
//
// Reads the manifest of any file. Property: nothing is read outside of the file, the manifest is
// bounded, and a value has no line breaks.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "record/process/service/jar_manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using flarestack::record::agent::ManifestValue;
  const std::string_view jar(reinterpret_cast<const char*>(data), size);
  const auto manifest = flarestack::record::agent::ReadJarManifest(
      jar.size(), [&](uint64_t offset, size_t bytes) -> absl::StatusOr<std::string> {
        if (bytes > (size_t{16} << 20))
          std::abort();
        return std::string(jar.substr(std::min<uint64_t>(offset, jar.size()), bytes));
      });
  const std::string text = manifest.ok() ? *manifest : std::string(jar);
  if (manifest.ok() && text.size() > (size_t{256} << 10))
    std::abort();
  if (ManifestValue(text, "Implementation-Title").find('\n') != std::string::npos)
    std::abort();
  return 0;
}
