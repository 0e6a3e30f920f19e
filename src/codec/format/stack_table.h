// SPDX-License-Identifier: Apache-2.0
//
// Stacks as lines of text, root first: "main;run;parse". Shared by the formats that consist only of
// such lines and numbers (folded, csv).
//
// A `;` in a name becomes `:` and a line break becomes a space, each with a warning, so that the
// line can be read back. Inlined functions are separate frames. A sample without a stack is "[no
// stack]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "model/batch.h"
#include "model/sample_type.h"

namespace flarestack::codec {

inline constexpr std::string_view kNoStack = "[no stack]";
inline constexpr std::string_view kUnknownFrame = "[unknown]";

// A few bytes of a message can refer to a long stack of long names, so the text needs a limit in
// addition to the message.
inline constexpr uint64_t kStackTextBytesMax = uint64_t{1} << 31;

struct StackTableOptions {
  uint64_t bytes_max = kStackTextBytesMax;
  base::Warnings* warnings = nullptr;  // never null
};

// Each distinct text once with its saturating sums, sorted frame by frame. Names are stored once
// and a stack is a list of their numbers: the text of all stacks can be many times the size of the
// profile, so only one line of it exists at a time.
class StackTable {
 public:
  // Returns kResourceExhausted if the total text exceeds options.bytes_max.
  static absl::StatusOr<StackTable> Make(const model::Batch& batch,
                                         std::span<const model::SampleTypeView> types,
                                         const StackTableOptions& options);

  size_t size() const { return rows_.size(); }

  // One weight per requested sample type; 0 if the stack has no such sample.
  std::span<const int64_t> Weights(size_t row) const {
    return {weights_.data() + rows_[row].number * type_count_, type_count_};
  }

  void AppendText(size_t row, std::string* text) const;

 private:
  class Maker;

  struct Row {
    model::Slice names;   // in name_numbers_, root first, never empty
    uint32_t number = 0;  // by first appearance
  };

  size_t type_count_ = 0;
  std::vector<std::string> names_;  // sorted
  std::vector<uint32_t> name_numbers_;
  std::vector<Row> rows_;
  std::vector<int64_t> weights_;
};

}  // namespace flarestack::codec
