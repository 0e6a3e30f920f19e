// SPDX-License-Identifier: Apache-2.0
#include "codec/folded/folded_writer.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "codec/folded/folded_line.h"
#include "codec/folded/folded_reader.h"
#include "codec/piece_writer.h"
#include "codec/stack_text.h"

namespace flarestack::codec::folded {
namespace {

constexpr std::array<std::string_view, 2> kExtensions = {".folded", ".collapsed"};

absl::Status AppendLine(const StackRow& row, base::Warnings* warnings, PieceWriter* out) {
  const bool is_comment = row.stack.front() == '#';
  if (is_comment) {
    // It would be read as a comment, and its weight would be lost.
    warnings->Add("space put before a stack that begins with `#`", row.stack);
  }
  if (row.weights[0] < 0) {
    warnings->Add("negative weight, which most readers of folded stacks refuse", row.stack);
  }
  return out->Append(is_comment ? " " : "", row.stack, " ", row.weights[0], "\n");
}

// Whether each leaf's name ends in a number of its own, so that the file would pass for a
// differential one.
bool LooksDifferential(const std::vector<StackRow>& rows) {
  return !rows.empty() && std::ranges::all_of(rows, [](const StackRow& row) {
    return ParseTwoValues(base::StrCat(row.stack, " 0")).has_value();
  });
}

absl::Status Write(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  FLARE_ASSIGN(const SampleTypeView type, SelectSampleType(batch, options.sample_type));
  FLARE_ASSIGN(const std::vector<StackRow> rows,
               StackRows(batch, {&type, 1}, {.warnings = options.warnings}));
  PieceWriter out(write);
  if (LooksDifferential(rows)) {
    FLARE_RETURN_IF_ERROR(out.Append(kOneValueComment, "\n"));
  }
  for (const StackRow& row : rows) {
    FLARE_RETURN_IF_ERROR(AppendLine(row, options.warnings, &out));
  }
  return out.Flush();
}

}  // namespace

const Writer kFoldedWriter = {
    .name = "folded",
    .summary = "folded (collapsed) stacks, one per line: a;b;c 12",
    .extensions = kExtensions,
    .holds_one_sample_type = true,
    .write = Write,
};

}  // namespace flarestack::codec::folded
