// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/rows/row_builder.h"

#include <algorithm>

#include "base/check.h"

namespace flarestack::record::unwind {

void RowBuilder::Begin(uint64_t address, const bpf::unwind_rule& rule) {
  gap_begin_.reset();
  if (address >= span_.end)
    return;
  address = std::max(address, span_.begin);
  while (!rows_.empty() && rows_.back().address >= address)
    rows_.pop_back();
  if (rows_.empty() || !AreSame(rows_.back().rule, rule))
    rows_.push_back({.address = address, .rule = rule});
}

void RowBuilder::EndFunction(uint64_t address) {
  const bpf::unwind_rule last = rows_.back().rule;
  Begin(address, RuleOfKind(bpf::RULE_NONE));
  gap_begin_ = address;
  before_gap_ = last;
}

void RowBuilder::BeginFunction(uint64_t address) {
  if (!gap_begin_.has_value() || address < *gap_begin_ || address - *gap_begin_ > kPaddingBytesMax)
    return;
  Begin(*gap_begin_, before_gap_);
}

std::vector<Row> FillGaps(const std::vector<Row>& rows, const std::vector<Row>& others) {
  FLARE_CHECK(!rows.empty() && !others.empty() && rows[0].address == others[0].address);
  std::vector<Row> filled;
  const auto add = [&filled](const Row& row) {
    if (filled.empty() || !AreSame(filled.back().rule, row.rule))
      filled.push_back(row);
  };
  size_t other = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].rule.kind != bpf::RULE_NONE) {
      add(rows[i]);
      continue;
    }
    const uint64_t begin = rows[i].address;
    const uint64_t end = i + 1 < rows.size() ? rows[i + 1].address : UINT64_MAX;
    while (other + 1 < others.size() && others[other + 1].address <= begin)
      ++other;
    add({.address = begin, .rule = others[other].rule});
    for (; other + 1 < others.size() && others[other + 1].address < end; ++other)
      add(others[other + 1]);
  }
  return filled;
}

const bpf::unwind_rule& RuleAt(const std::vector<Row>& rows, uint64_t address) {
  const auto after = std::upper_bound(rows.begin(), rows.end(), address,
                                      [](uint64_t at, const Row& row) { return at < row.address; });
  FLARE_CHECK(after != rows.begin());
  return (after - 1)->rule;
}

}  // namespace flarestack::record::unwind
