// SPDX-License-Identifier: Apache-2.0
//
// Small OTLP/JSON messages around the members that a test needs.
#pragma once

#include <string>
#include <string_view>

#include "base/text/text.h"

namespace flarestack::codec::otlp {

inline std::string WithProfile(std::string_view members) {
  return base::StrCat(R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{)", members,
                      "}]}]}]}");
}
inline std::string WithSample(std::string_view members) {
  return WithProfile(base::StrCat(R"("samples":[{)", members, "}]"));
}
inline std::string WithTables(std::string_view members) {
  return base::StrCat(R"({"dictionary":{)", members, "}}");
}
inline std::string WithValue(std::string_view value) {
  return WithTables(base::StrCat(R"("attributeTable":[{},{"value":)", value, "}]"));
}

}  // namespace flarestack::codec::otlp
