// SPDX-License-Identifier: Apache-2.0
//
// Tables from server responses, for clients of the Model Context Protocol. They match the reports
// on files. See query_responses.h.
#pragma once

#include "cli/ask/query_responses.h"

namespace flarestack::cli {

QueryTable TopTable(const Json& response, TableFor reader);
// A tree with the hash of each call path, which selects that subtree in a further request.
QueryTable FlameTable(const Json& response, TableFor reader);
QueryTable DiffTable(const Json& response, TableFor reader);
QueryTable RegressionsTable(const Json& response, TableFor reader);

}  // namespace flarestack::cli
