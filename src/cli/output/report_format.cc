// SPDX-License-Identifier: Apache-2.0
#include "cli/output/report_format.h"

#include <map>

#include "base/text/human_value.h"
#include "base/text/text.h"
#include "cli/command/usage_error.h"

namespace flarestack::cli {
namespace {

std::string CellText(const Cell& cell) {
  if (const auto* cost = std::get_if<Cost>(&cell); cost != nullptr)
    return base::StrCat(cost->value);
  if (const auto* number = std::get_if<double>(&cell); number != nullptr)
    return base::StrCat(*number);
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : base::StrCat(std::get<int64_t>(cell));
}

std::string TextForPeople(const Cell& cell) {
  const auto* cost = std::get_if<Cost>(&cell);
  return cost == nullptr ? CellText(cell) : base::HumanValue(cost->value, cost->unit);
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string MarkdownCell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '<')
      escaped.push_back('\\');
    escaped.push_back(c == '\n' ? ' ' : c);
  }
  return escaped;
}

}  // namespace

void DefineFormat(CLI::App* app, ReportFormat* format) {
  static const std::map<std::string, ReportFormat> kNames = {{"text", ReportFormat::kText},
                                                             {"json", ReportFormat::kJson},
                                                             {"ndjson", ReportFormat::kNdjson},
                                                             {"csv", ReportFormat::kCsv},
                                                             {"md", ReportFormat::kMarkdown}};
  app->add_option("--format", *format, "text, json, ndjson, csv or md")
      ->type_name("FORMAT")
      ->transform(OneOf(kNames));
}

std::string ReportRows::Csv() const {
  std::string text;
  const auto line = [&](const auto& cells, auto to_text) {
    for (size_t i = 0; i < cells.size(); ++i)
      base::StrAppend(&text, i == 0 ? "" : ",", CsvCell(to_text(cells[i])));
    text += "\r\n";  // RFC 4180
  };
  line(columns_, [](const std::string& name) { return name; });
  for (const std::vector<Cell>& row : rows_)
    line(row, CellText);
  return text;
}

std::string ReportRows::Markdown() const {
  std::string text = "|";
  for (const std::string& column : columns_)
    base::StrAppend(&text, " ", column, " |");
  text += "\n|";
  for (size_t i = 0; i < columns_.size(); ++i) {
    const bool is_number = !rows_.empty() && !std::holds_alternative<std::string>(rows_[0][i]);
    text += is_number ? "---:|" : "---|";
  }
  text += "\n";
  for (const std::vector<Cell>& row : rows_) {
    text += "|";
    for (const Cell& cell : row)
      base::StrAppend(&text, " ", MarkdownCell(TextForPeople(cell)), " |");
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json ReportRows::Json() const {
  auto rows = nlohmann::ordered_json::array();
  for (const std::vector<Cell>& row : rows_) {
    nlohmann::ordered_json object;
    for (size_t i = 0; i < columns_.size(); ++i) {
      nlohmann::ordered_json& field = object[columns_[i]];
      if (const auto* cost = std::get_if<Cost>(&row[i]); cost != nullptr)
        field = cost->value;
      else if (const auto* text = std::get_if<std::string>(&row[i]); text != nullptr)
        field = *text;
      else if (const auto* number = std::get_if<double>(&row[i]); number != nullptr)
        field = *number;
      else
        field = std::get<int64_t>(row[i]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string ReportRows::Ndjson() const {
  std::string text;
  for (const auto& row : Json())
    text += JsonText(row);
  return text;
}

std::string ReportRows::In(ReportFormat format) const {
  if (format == ReportFormat::kCsv)
    return Csv();
  return format == ReportFormat::kMarkdown ? Markdown() : Ndjson();
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace flarestack::cli
