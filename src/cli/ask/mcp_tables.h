// SPDX-License-Identifier: Apache-2.0
//
// Tables of what the reports show on files, here of answers of a server: for those who ask through
// the Model Context Protocol. As in query_answers.h.
#pragma once

#include "cli/ask/query_answers.h"

namespace flarestack::cli {

QueryTable TopTable(const Json& answer, TableFor reader);
// A tree with the hash of each call path, by which more of it can be asked for.
QueryTable FlameTable(const Json& answer, TableFor reader);
QueryTable DiffTable(const Json& answer, TableFor reader);
QueryTable RegressionsTable(const Json& answer, TableFor reader);

}  // namespace flarestack::cli
