// SPDX-License-Identifier: Apache-2.0
#include "codec/csv/csv_writer.h"

#include <array>

#include "base/status.h"
#include "codec/format/piece_writer.h"
#include "codec/format/stack_table.h"

namespace flarestack::codec::csv {
namespace {

constexpr std::string_view kLineEnd = "\r\n";  // required by RFC 4180
constexpr std::array<std::string_view, 1> kExtensions = {".csv"};

void AppendTextCell(std::string_view text, base::Warnings* warnings, std::string* out) {
  // Include TAB and CR: some spreadsheets skip them before they look for a formula.
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  if (is_formula) {
    warnings->Add("added ' before text that a spreadsheet would run as a formula", text);
  }
  const bool is_quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (is_quoted) {
    out->push_back('"');
  }
  if (is_formula) {
    out->push_back('\'');
  }
  for (const char c : text) {
    out->append(c == '"' ? 2 : 1, c);
  }
  if (is_quoted) {
    out->push_back('"');
  }
}

absl::StatusOr<std::vector<model::SampleTypeView>> WantedTypes(const model::Batch& batch,
                                                               const WriteOptions& options) {
  if (options.sample_type.empty()) {
    return model::ListSampleTypes(batch);
  }
  FLARE_ASSIGN(model::SampleTypeView type, model::SelectSampleType(batch, options.sample_type));
  return std::vector<model::SampleTypeView>{std::move(type)};
}

absl::Status Write(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  FLARE_ASSIGN(const std::vector<model::SampleTypeView> types, WantedTypes(batch, options));
  FLARE_ASSIGN(const StackTable stacks,
               StackTable::Make(batch, types, {.warnings = options.warnings}));
  PieceWriter out(write);
  std::string line = "stack";
  for (const model::SampleTypeView& type : types) {
    line.push_back(',');
    AppendTextCell(base::StrCat(type.type, "/", type.unit), options.warnings, &line);
  }
  FLARE_RETURN_IF_ERROR(out.Append(line, kLineEnd));
  std::string stack;
  for (size_t row = 0; row < stacks.size(); ++row) {
    stack.clear();
    stacks.AppendText(row, &stack);
    line.clear();
    AppendTextCell(stack, options.warnings, &line);
    for (const int64_t weight : stacks.Weights(row)) {
      base::StrAppend(&line, ",", weight);
    }
    FLARE_RETURN_IF_ERROR(out.Append(line, kLineEnd));
  }
  return out.Flush();
}

}  // namespace

const Writer kCsvWriter = {
    .name = "csv",
    .summary = "a table: one row per stack, one column per sample type",
    .extensions = kExtensions,
    .holds_one_sample_type = false,
    .write = Write,
};

}  // namespace flarestack::codec::csv
