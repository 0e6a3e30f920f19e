// SPDX-License-Identifier: Apache-2.0
//
// Collects the rows of a span of code: sorted, one per change, the first at the start of the span.
//
//   RowBuilder builder({.begin = 0x10000, .end = 0x20000});
//   builder.Begin(0x10010, rule);    // from here on
//   builder.EndFunction(0x10080);    // no rule after it, unless another begins close by
//   std::vector<Row> rows = std::move(builder).Finish();
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/unwind/rows/row.h"

namespace flarestack::record::unwind {

struct CodeSpan {
  uint64_t begin = 0;
  uint64_t end = 0;  // exclusive
};

class RowBuilder {
 public:
  // The most padding that compilers put between functions. It counts as part of the preceding
  // function.
  static constexpr uint64_t kPaddingBytesMax = 15;

  // Requires begin <= end.
  explicit RowBuilder(CodeSpan span) : span_(span) { rows_.push_back({.address = span.begin}); }

  const CodeSpan& span() const { return span_; }

  // Applies the rule from the address on. Discards earlier rows from that address on.
  void Begin(uint64_t address, const bpf::unwind_rule& rule);

  // Ends the function that was begun last.
  void EndFunction(uint64_t address);

  // Notes the start of a function without a rule yet: a small gap after the preceding function then
  // counts as padding. Accepts any address, so that a function after the span counts too.
  void BeginFunction(uint64_t address);

  std::vector<Row> Finish() && { return std::move(rows_); }

 private:
  CodeSpan span_;
  std::vector<Row> rows_;
  std::optional<uint64_t> gap_begin_;
  bpf::unwind_rule before_gap_ = RuleOfKind(bpf::RULE_NONE);
};

// Fills ranges of `rows` without a rule from `others`. Both begin at the same address.
std::vector<Row> FillGaps(const std::vector<Row>& rows, const std::vector<Row>& others);

// Returns the rule at an address, which must not be before the first row.
const bpf::unwind_rule& RuleAt(const std::vector<Row>& rows, uint64_t address);

}  // namespace flarestack::record::unwind
