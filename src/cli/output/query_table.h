// SPDX-License-Identifier: Apache-2.0
//
// An answer of a server as a table: for people, with times and durations that can be read, and for
// programs, with numbers as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json_fields.h"
#include "cli/output/report_format.h"

namespace flarestack::cli {

struct QueryColumn {
  enum class Kind {
    kText,
    kTime,      // nanoseconds since the epoch
    kDuration,  // nanoseconds
    kCount,
    kNumber,
    kMark,  // true or false; people see * or nothing
  };

  std::string name;
  Kind kind = Kind::kText;
  bool is_for_programs_alone = false;
};

class QueryTable {
 public:
  QueryTable() = default;
  explicit QueryTable(std::vector<QueryColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns. `depth` indents the last column, for people alone.
  void Add(std::vector<Json> cells, size_t depth = 0);

  // A sentence above the table, for people alone.
  void set_headline(std::string_view text);
  // A line below it; several are printed one after the other.
  void AddNote(std::string_view text);

  bool empty() const { return rows_.empty(); }

  // Lines of at most `width` columns, with a mark where something is missing; 0 is no limit.
  enum class Style { kPlain, kTerminal };
  std::string Text(size_t width, Style style) const;

  // csv, md or ndjson.
  std::string In(ReportFormat format) const;

 private:
  struct Row {
    std::vector<Json> cells;
    size_t depth = 0;
  };

  std::vector<std::string> TextCells(const Row& row) const;

  std::vector<QueryColumn> columns_;
  std::vector<Row> rows_;
  std::string headline_;
  std::vector<std::string> notes_;
};

// "2026-03-01T12:00:00.25Z"
std::string TimeText(int64_t nanos);
// "1.20 ms"
std::string DurationText(int64_t nanos);
// With a unit of OpenTelemetry, as people read it: "12.5 MiB", "1.20 s", "3,000 request".
std::string NumberText(double value, std::string_view unit = {});

// Numbers as a row of bars, one for each; a space where there is none.
std::string Sparkline(const Json& values, size_t width);

}  // namespace flarestack::cli
