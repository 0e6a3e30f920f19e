// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/code_page.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace flarestack::record::unwind {
namespace {

constexpr uint64_t kPageBytes = uint64_t{1} << bpf::CODE_PAGE_SHIFT;

// Applies `replace` to the rules within a range. The rows lie in one page.
std::vector<Row> Replace(std::span<const Row> rows, const elf::AddressRange& range, auto replace) {
  std::vector<Row> replaced;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const uint64_t end =
        i + 1 < rows.size() ? rows[i + 1].address : (row.address | (kPageBytes - 1)) + 1;
    const uint64_t begin_inside = std::max(row.address, range.begin);
    const uint64_t end_inside = std::min(end, range.end);
    if (begin_inside >= end_inside) {
      replaced.push_back(row);
      continue;
    }
    if (row.address < begin_inside)
      replaced.push_back(row);
    replaced.push_back({.address = begin_inside, .rule = replace(row.rule)});
    if (end_inside < end)
      replaced.push_back({.address = end_inside, .rule = row.rule});
  }
  return replaced;
}

}  // namespace

size_t RuleTable::RuleHash::operator()(const bpf::unwind_rule& rule) const {
  return static_cast<size_t>(base::Hash64(&rule, sizeof(rule)));
}

RuleTable::RuleTable(size_t rules_max) : rules_max_(rules_max) {
  FLARE_CHECK(rules_max >= 1 && rules_max <= bpf::RULES_MAX);
  IndexOf(RuleOfKind(bpf::RULE_NONE));
}

uint16_t RuleTable::IndexOf(const bpf::unwind_rule& rule) {
  if (const auto found = indices_.find(rule); found != indices_.end())
    return found->second;
  if (rules_.size() >= rules_max_) {
    ++rejected_count_;
    return 0;
  }
  const auto index = static_cast<uint16_t>(rules_.size());
  rules_.push_back(rule);
  indices_.emplace(rule, index);
  return index;
}

CodePage MakeCodePage(std::span<const Row> rows, RuleTable* rules) {
  CodePage page;
  page.rows.reserve(std::min<size_t>(rows.size(), bpf::ROWS_PER_CHUNK));
  for (const Row& row : rows) {
    // Reserve the last row for the end marker without a rule.
    const bool is_full = page.rows.size() + 1 >= bpf::ROWS_PER_CHUNK;
    page.cut_row_count += is_full ? 1 : 0;
    const uint16_t index = is_full ? uint16_t{0} : rules->IndexOf(row.rule);
    if (page.rows.empty() || page.rows.back().rule != index)
      page.rows.push_back({.low = static_cast<bpf::u16>(row.address % kPageBytes), .rule = index});
  }
  return page;
}

std::vector<Row> MarkLanguageCode(std::span<const Row> rows, const LanguageCode& code) {
  std::vector<Row> marked(rows.begin(), rows.end());
  for (const elf::AddressRange& loop : code.loops) {
    marked = Replace(marked, loop, [](bpf::unwind_rule rule) {
      if (rule.kind != bpf::RULE_NONE)
        rule.flags |= bpf::RULE_INTERPRETER;
      return rule;
    });
  }
  for (const elf::AddressRange& range : code.generated) {
    marked = Replace(marked, range,
                     [](const bpf::unwind_rule&) { return RuleOfKind(bpf::RULE_GENERATED); });
  }
  return marked;
}

CodePage MakeCodePage(const UnwindTable& table, uint64_t page_number, RuleTable* rules,
                      const LanguageCode& code) {
  UnwindCounts counts;
  const uint64_t begin = page_number << bpf::CODE_PAGE_SHIFT;
  const uint64_t end = begin + std::min(kPageBytes, std::numeric_limits<uint64_t>::max() - begin);
  const std::vector<Row> rows = table.Rows({.begin = begin, .end = end}, &counts);
  CodePage page = MakeCodePage(MarkLanguageCode(rows, code), rules);
  page.counts = counts;
  return page;
}

}  // namespace flarestack::record::unwind
