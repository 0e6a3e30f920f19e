// SPDX-License-Identifier: Apache-2.0
#include "cli/output/query_table.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text/human_value.h"
#include "cli/terminal/terminal.h"

namespace flarestack::cli {
namespace {

using Kind = QueryColumn::Kind;

// Deeper rows are not indented further: a line of ten thousand spaces shows nothing.
constexpr size_t kDepthMax = 40;

bool IsRightAligned(Kind kind) {
  return kind == Kind::kDuration || kind == Kind::kCount || kind == Kind::kNumber;
}

std::string CellText(const Json& cell, Kind kind) {
  if (cell.is_null())
    return "";
  switch (kind) {
    case Kind::kTime:
      return TimeText(IntOf(cell));
    case Kind::kDuration:
      return DurationText(IntOf(cell));
    case Kind::kCount:
      return base::GroupDigits(IntOf(cell));
    case Kind::kNumber:
      return NumberText(NumberOf(cell));
    case Kind::kMark:
      return IsTrue(cell) ? "*" : "";
    case Kind::kText:
      break;
  }
  return Printable(TextOf(cell));
}

Cell RawCell(const Json& cell, Kind kind) {
  if (cell.is_null())
    return std::string();
  switch (kind) {
    case Kind::kTime:
    case Kind::kDuration:
    case Kind::kCount:
      return IntOf(cell);
    case Kind::kNumber:
      return NumberOf(cell);
    case Kind::kMark:
      return std::string(IsTrue(cell) ? "true" : "false");
    case Kind::kText:
      break;
  }
  return TextOf(cell);
}

std::string Padding(const std::string& text, size_t width) {
  const size_t columns = Columns(text);
  return std::string(columns < width ? width - columns : 0, ' ');
}

}  // namespace

void QueryTable::Add(std::vector<Json> cells, size_t depth) {
  FLARE_CHECK(cells.size() == columns_.size(), cells.size());
  rows_.push_back({.cells = std::move(cells), .depth = depth});
}

void QueryTable::set_headline(std::string_view text) { headline_ = Printable(text); }

void QueryTable::AddNote(std::string_view text) { notes_.push_back(Printable(text)); }

std::vector<std::string> QueryTable::TextCells(const Row& row) const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].is_for_programs_only)
      texts.push_back(CellText(row.cells[i], columns_[i].kind));
  }
  if (!texts.empty())
    texts.back().insert(0, 2 * std::min(row.depth, kDepthMax), ' ');
  return texts;
}

std::string QueryTable::Text(size_t width, Style style) const {
  std::vector<const QueryColumn*> shown;
  std::vector<size_t> widths;
  for (const QueryColumn& column : columns_) {
    if (column.is_for_programs_only)
      continue;
    shown.push_back(&column);
    widths.push_back(column.name.size());
  }
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : rows_) {
    lines.push_back(TextCells(row));
    for (size_t column = 0; column < shown.size(); ++column)
      widths[column] = std::max(widths[column], Columns(lines.back()[column]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string padding = Padding(cells[i], widths[i]);
      const bool is_right = IsRightAligned(shown[i]->kind);
      text += (i == 0 ? "" : "  ") + (is_right ? padding + cells[i] : cells[i] + padding);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return Fit(text, width);
  };
  const bool is_plain = style == Style::kPlain;
  std::string text;
  if (!headline_.empty())
    text += (is_plain ? headline_ : Bold(headline_)) + "\n";
  if (!lines.empty()) {
    std::vector<std::string> names;
    names.reserve(shown.size());
    for (const QueryColumn* column : shown)
      names.push_back(column->name);
    text += (is_plain ? line(names) : Dim(line(names))) + "\n";
  }
  for (const std::vector<std::string>& cells : lines)
    text += line(cells) + "\n";
  for (const std::string& note : notes_)
    text += note + "\n";
  return text;
}

std::string QueryTable::In(ReportFormat format) const {
  const bool is_for_people = format == ReportFormat::kMarkdown;
  std::vector<std::string> names;
  for (const QueryColumn& column : columns_) {
    if (!is_for_people || !column.is_for_programs_only)
      names.push_back(column.name);
  }
  ReportRows table(std::move(names));
  for (const Row& row : rows_) {
    std::vector<Cell> cells;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const QueryColumn& column = columns_[i];
      if (!is_for_people)
        cells.push_back(RawCell(row.cells[i], column.kind));
      else if (!column.is_for_programs_only)
        cells.emplace_back(CellText(row.cells[i], column.kind));
    }
    table.Add(std::move(cells));
  }
  return table.In(format);
}

std::string TimeText(int64_t nanos) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", absl::FromUnixNanos(nanos), absl::UTCTimeZone());
}

std::string DurationText(int64_t nanos) { return base::HumanValue(nanos, "nanoseconds"); }

namespace {

// Maps OpenTelemetry units (UCUM) to those that HumanValue knows.
struct KnownUnit {
  std::string_view name;
  double factor;
  std::string_view human;
};

constexpr KnownUnit kKnownUnits[] = {
    {"s", 1e9, "nanoseconds"},
    {"ms", 1e6, "nanoseconds"},
    {"us", 1e3, "nanoseconds"},
    {"ns", 1, "nanoseconds"},
    {"min", 60e9, "nanoseconds"},
    {"h", 3600e9, "nanoseconds"},
    {"By", 1, "bytes"},
    {"kBy", 1e3, "bytes"},
    {"MBy", 1e6, "bytes"},
    {"GBy", 1e9, "bytes"},
    {"KiBy", 1024, "bytes"},
    {"MiBy", 1048576, "bytes"},
    {"GiBy", 1073741824, "bytes"},
};

// Separates thousands, for people.
std::string PlainNumber(double value) {
  constexpr double kWholeMax = 1e15;
  const bool is_whole = std::abs(value) < kWholeMax && value == std::floor(value);
  return is_whole ? base::GroupDigits(static_cast<int64_t>(value)) : fmt::format("{:.6g}", value);
}

}  // namespace

std::string NumberText(double value, std::string_view unit) {
  constexpr std::string_view kPerSecond = "/s";
  if (unit.size() > kPerSecond.size() && unit.ends_with(kPerSecond))
    return NumberText(value, unit.substr(0, unit.size() - kPerSecond.size())) + "/s";
  const auto known = std::ranges::find(kKnownUnits, unit, &KnownUnit::name);
  if (known != std::end(kKnownUnits)) {
    constexpr double kMax = 9e18;
    const double scaled = value * known->factor;
    const bool is_tiny = scaled != 0 && std::abs(scaled) < 1;
    if (std::abs(scaled) < kMax && !is_tiny)
      return base::HumanValue(std::llround(scaled), known->human);
  }
  if (unit.empty() || unit == "1")
    return PlainNumber(value);
  return base::WithUnit(PlainNumber(value), unit);
}

std::string Sparkline(const Json& values, size_t width) {
  static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!values.is_array() || values.empty() || width == 0)
    return "";
  const size_t count = std::min(width, values.size());
  struct Column {
    bool is_known = false;
    double largest = 0;
  };
  std::vector<Column> columns(count);
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number())
      continue;
    Column& column = columns[i * count / values.size()];
    column.largest = std::max(column.is_known ? column.largest : 0, NumberOf(values[i]));
    column.is_known = true;
    largest = std::max(largest, column.largest);
  }
  std::string text;
  for (const Column& column : columns) {
    const double share = largest > 0 ? column.largest / largest : 0;
    text += column.is_known ? kBars[static_cast<size_t>(share * 7)] : " ";
  }
  return text;
}

}  // namespace flarestack::cli
