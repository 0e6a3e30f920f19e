// SPDX-License-Identifier: Apache-2.0
#include "codec/folded/folded.h"

#include <array>

#include "base/status.h"
#include "codec/folded/folded_line.h"
#include "codec/format/piece_writer.h"
#include "codec/format/stack_table.h"

namespace flarestack::codec::folded {
namespace {

constexpr std::array<std::string_view, 2> kExtensions = {".folded", ".collapsed"};

absl::Status AppendLine(std::string_view stack, int64_t weight, base::Warnings* warnings,
                        PieceWriter* out) {
  const bool is_comment = stack.front() == '#';
  if (is_comment) {
    // Without the space, a reader would skip the line as a comment and lose its weight.
    warnings->Add("added a space before a stack that begins with `#`", stack);
  }
  if (weight < 0) {
    warnings->Add("negative weight, which most readers of folded stacks reject", stack);
  }
  return out->Append(is_comment ? " " : "", stack, " ", weight, "\n");
}

// Whether every leaf name ends in a number, so that a reader would mistake the file for a
// differential one.
bool LooksDifferential(const StackTable& stacks) {
  std::string line;
  for (size_t row = 0; row < stacks.size(); ++row) {
    line.clear();
    stacks.AppendText(row, &line);
    if (!ParseTwoValues(line.append(" 0")).has_value())
      return false;
  }
  return stacks.size() > 0;
}

absl::Status Write(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  FLARE_ASSIGN(const model::SampleTypeView type,
               model::SelectSampleType(batch, options.sample_type));
  FLARE_ASSIGN(const StackTable stacks,
               StackTable::Make(batch, {&type, 1}, {.warnings = options.warnings}));
  PieceWriter out(write);
  if (LooksDifferential(stacks)) {
    FLARE_RETURN_IF_ERROR(out.Append(kOneValueComment, "\n"));
  }
  std::string stack;
  for (size_t row = 0; row < stacks.size(); ++row) {
    stack.clear();
    stacks.AppendText(row, &stack);
    FLARE_RETURN_IF_ERROR(AppendLine(stack, stacks.Weights(row)[0], options.warnings, &out));
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
