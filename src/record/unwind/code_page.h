// SPDX-License-Identifier: Apache-2.0
//
// Converts rows to the format of the BPF maps: rows of one page of 64 KiB of code, four bytes each,
// with the indices of their rules. Files share rules: a whole machine has about ten thousand
// distinct ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "elf/symbol_ranges.h"
#include "record/bpf/layout.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {

// The distinct rules in order of first use. Rules are never removed or changed, because BPF may be
// reading them. Index 0 is RULE_NONE. Not thread-safe.
class RuleTable {
 public:
  explicit RuleTable(size_t rules_max = bpf::RULES_MAX);

  // Returns the same index for equal rules. If the table is full, returns the index of RULE_NONE
  // and counts it.
  uint16_t IndexOf(const bpf::unwind_rule& rule);

  // Ordered by index; new rules are appended.
  std::span<const bpf::unwind_rule> rules() const { return rules_; }
  uint64_t rejected_count() const { return rejected_count_; }

 private:
  struct RuleHash {
    size_t operator()(const bpf::unwind_rule& rule) const;
  };
  struct RuleEqual {
    bool operator()(const bpf::unwind_rule& a, const bpf::unwind_rule& b) const {
      return AreSame(a, b);
    }
  };

  const size_t rules_max_;
  std::vector<bpf::unwind_rule> rules_;
  absl::flat_hash_map<bpf::unwind_rule, uint16_t, RuleHash, RuleEqual> indices_;
  uint64_t rejected_count_ = 0;
};

struct CodePage {
  std::vector<bpf::unwind_row> rows;  // the first at 0; at most ROWS_PER_CHUNK
  UnwindCounts counts;
  uint64_t cut_row_count = 0;  // rows that did not fit; their addresses have no rule
};

// Code of a language's runtime.
struct LanguageCode {
  std::span<const elf::AddressRange> loops;      // of interpreters
  std::span<const elf::AddressRange> generated;  // see RULE_GENERATED
};

// Builds the page with the number address >> CODE_PAGE_SHIFT. The rules of language code are marked
// as such.
CodePage MakeCodePage(const UnwindTable& table, uint64_t page_number, RuleTable* rules,
                      const LanguageCode& code = {});

// Marks the rules of rows in language code. The rows lie in one page.
std::vector<Row> MarkLanguageCode(std::span<const Row> rows, const LanguageCode& code);

// The same for existing rows. They lie in one page and begin with its first address.
CodePage MakeCodePage(std::span<const Row> rows, RuleTable* rules);

}  // namespace flarestack::record::unwind
