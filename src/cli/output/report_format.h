// SPDX-License-Identifier: Apache-2.0
//
// The output formats of every report, and the rows for csv, md and ndjson. Each report writes its
// own text and JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flarestack::cli {

enum class ReportFormat { kText, kJson, kNdjson, kCsv, kMarkdown };

// Defines --format.
void DefineFormat(CLI::App* app, ReportFormat* format);

// Printed as "1.20 s" in md, which people read, and as a number elsewhere.
struct Cost {
  int64_t value = 0;
  std::string_view unit = {};  // must outlive the rows
};

using Cell = std::variant<std::string, int64_t, double, Cost>;

class ReportRows {
 public:
  explicit ReportRows(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  // Adds one cell per column.
  void Add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

  std::string Csv() const;       // with a header
  std::string Markdown() const;  // a table
  std::string Ndjson() const;    // an object per line
  nlohmann::ordered_json Json() const;

  // csv, md or ndjson.
  std::string In(ReportFormat format) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// One JSON document with a final line break. Profiles are valid UTF-8 once read, but file names may
// contain any bytes: invalid ones are replaced.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace flarestack::cli
