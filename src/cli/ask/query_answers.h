// SPDX-License-Identifier: Apache-2.0
//
// How the answers of the API become tables, one function for each. What an answer lacks is left
// empty.
#pragma once

#include "cli/output/query_table.h"

namespace flarestack::cli {

// Programs get a row for each point of a chart, people one for each line.
enum class TableFor { kPeople, kPrograms };

QueryTable ServicesTable(const Json& answer, TableFor reader);
QueryTable AttributesTable(const Json& answer, TableFor reader);
QueryTable ValuesTable(const Json& answer, TableFor reader);  // of one attribute
QueryTable SeriesTable(const Json& answer, TableFor reader);
QueryTable TracesTable(const Json& answer, TableFor reader);
QueryTable TraceTable(const Json& answer, TableFor reader);
QueryTable LogsTable(const Json& answer, TableFor reader);
QueryTable MetricsTable(const Json& answer, TableFor reader);
QueryTable MetricTable(const Json& answer, TableFor reader);  // the points of one
QueryTable LinksTable(const Json& answer, TableFor reader);
QueryTable HealthTable(const Json& answer, TableFor reader);

}  // namespace flarestack::cli
