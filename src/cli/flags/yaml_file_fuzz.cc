// SPDX-License-Identifier: Apache-2.0
//
// Any input gives an error, or a list with unique keys and valid line numbers.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "cli/flags/yaml_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using flarestack::cli::YamlEntry;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = flarestack::cli::ParseYaml(
      text, [](const std::string& name) { return std::optional<std::string>(name); });
  if (!entries.ok())
    return 0;
  std::set<std::pair<std::string, std::string>> seen;
  for (const YamlEntry& entry : *entries) {
    FLARE_CHECK(entry.line >= 1, entry.line);
    const bool is_new = seen.emplace(entry.section, entry.key).second;
    FLARE_CHECK(is_new, entry.key);
    FLARE_CHECK(!entry.value.has_value() || !entry.value->empty(), entry.key);
  }
  return 0;
}
