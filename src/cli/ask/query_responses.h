// SPDX-License-Identifier: Apache-2.0
//
// Converts API responses to tables, one function per endpoint. Missing fields become empty cells.
#pragma once

#include "cli/output/query_table.h"

namespace flarestack::cli {

// For a chart, programs get a row per point, people a row per line.
enum class TableFor { kPeople, kPrograms };

QueryTable ServicesTable(const Json& answer, TableFor reader);
QueryTable AttributesTable(const Json& answer, TableFor reader);
QueryTable ValuesTable(const Json& answer, TableFor reader);  // of one attribute
QueryTable SeriesTable(const Json& answer, TableFor reader);
QueryTable TracesTable(const Json& answer, TableFor reader);
QueryTable TraceTable(const Json& answer, TableFor reader);
QueryTable LogsTable(const Json& answer, TableFor reader);
QueryTable MetricsTable(const Json& answer, TableFor reader);
QueryTable MetricTable(const Json& answer, TableFor reader);  // the points of one metric
QueryTable LinksTable(const Json& answer, TableFor reader);
QueryTable HealthTable(const Json& answer, TableFor reader);

}  // namespace flarestack::cli
