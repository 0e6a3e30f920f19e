// SPDX-License-Identifier: Apache-2.0
//
// A server response as a table: with readable times and durations for people, with raw numbers for
// programs.
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
    kMark,  // boolean; people see * or nothing
  };

  std::string name;
  Kind kind = Kind::kText;
  bool is_for_programs_only = false;
};

class QueryTable {
 public:
  QueryTable() = default;
  explicit QueryTable(std::vector<QueryColumn> columns) : columns_(std::move(columns)) {}

  // Adds one cell per column. `depth` indents the last column in text output.
  void Add(std::vector<Json> cells, size_t depth = 0);

  // A sentence above the table, in text output only.
  void set_headline(std::string_view text);
  // A line below the table; may be called several times.
  void AddNote(std::string_view text);

  bool empty() const { return rows_.empty(); }

  // Lines of at most `width` columns, with a mark where text was cut; 0: no limit.
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
// A number with an OpenTelemetry unit, formatted for people: "12.5 MiB", "1.20 s", "3,000 request".
std::string NumberText(double value, std::string_view unit = {});

// A row of bars, one per number; a space for a missing value.
std::string Sparkline(const Json& values, size_t width);

}  // namespace flarestack::cli
