// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/gauge_types.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "model/gauge_type.h"

namespace flarestack::cli {

void ReadGaugeTypes() {
  const char* const names = std::getenv("FLARESTACK_GAUGE_TYPE");
  if (names == nullptr)
    return;
  const std::vector<std::string> types = absl::StrSplit(names, ',', absl::SkipWhitespace());
  model::AddGaugeTypes(types);
}

}  // namespace flarestack::cli
