// SPDX-License-Identifier: Apache-2.0
//
// Puts the rows of a piece of code together: sorted, each change once, the first at its beginning.
//
//   RowBuilder builder({.begin = 0x10000, .end = 0x20000});
//   builder.Begin(0x10010, rule);    // from here on
//   builder.EndFunction(0x10080);    // nothing is known behind it, unless another begins near
//   std::vector<Row> rows = std::move(builder).Finish();
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/unwind/row.h"

namespace flarestack::record::unwind {

struct CodeSpan {
  uint64_t begin = 0;
  uint64_t end = 0;  // excluded
};

class RowBuilder {
 public:
  // Compilers fill so many bytes between functions at most. They are taken for a part of the
  // function before them.
  static constexpr uint64_t kPaddingBytesMax = 15;

  // begin <= end.
  explicit RowBuilder(CodeSpan span) : span_(span) { rows_.push_back({.address = span.begin}); }

  const CodeSpan& span() const { return span_; }

  // The rule holds from the address on. What was said about addresses from there on is forgotten.
  void Begin(uint64_t address, const bpf::unwind_rule& rule);

  // The function that was begun last ends here.
  void EndFunction(uint64_t address);

  // A function begins here, about which nothing else is said yet: what is between it and the one
  // before is padding when it is small. Any address, so that what lies behind the span counts.
  void BeginFunction(uint64_t address);

  std::vector<Row> Finish() && { return std::move(rows_); }

 private:
  CodeSpan span_;
  std::vector<Row> rows_;
  std::optional<uint64_t> gap_begin_;
  bpf::unwind_rule before_gap_ = RuleOfKind(bpf::RULE_NONE);
};

// Where `rows` know nothing, those of `others` hold. Both begin at the same address.
std::vector<Row> FillGaps(const std::vector<Row>& rows, const std::vector<Row>& others);

// The rule at an address that is not before the first row.
const bpf::unwind_rule& RuleAt(const std::vector<Row>& rows, uint64_t address);

}  // namespace flarestack::record::unwind
