// SPDX-License-Identifier: Apache-2.0
#include "server/api/empty_reason.h"

#include "server/api/value_json.h"

namespace flarestack::server::api {

Json EmptyJson(const EmptyFindings& findings) {
  std::string reason;
  if (!findings.excluded_by.empty()) {
    reason = base::StrCat("without ", findings.excluded_by[0], " there would be something");
  } else if (findings.is_found_without_all) {
    reason = "this time range has data, but the conditions together exclude it";
  } else {
    reason = "no data in this time range";
  }
  return {{"reason", reason},
          {"excluded_by", findings.excluded_by},
          {"nearest", findings.nearest.has_value() ? TimeJson(*findings.nearest) : Json()}};
}

}  // namespace flarestack::server::api
