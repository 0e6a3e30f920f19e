// SPDX-License-Identifier: Apache-2.0
//
// Converts API responses to tables, one function per endpoint. Missing fields become empty cells.
#pragma once

#include "cli/output/query_table.h"

namespace flarestack::cli {

// For a chart, programs get a row per point, people a row per line.
enum class TableFor { kPeople, kPrograms };

QueryTable ServicesTable(const Json& response, TableFor reader);
QueryTable AttributesTable(const Json& response, TableFor reader);
QueryTable ValuesTable(const Json& response, TableFor reader);  // of one attribute
QueryTable SeriesTable(const Json& response, TableFor reader);
QueryTable TracesTable(const Json& response, TableFor reader);
QueryTable TraceTable(const Json& response, TableFor reader);
QueryTable LogsTable(const Json& response, TableFor reader);
QueryTable MetricsTable(const Json& response, TableFor reader);
QueryTable MetricTable(const Json& response, TableFor reader);  // the points of one metric
QueryTable LinksTable(const Json& response, TableFor reader);
QueryTable HealthTable(const Json& response, TableFor reader);

}  // namespace flarestack::cli
