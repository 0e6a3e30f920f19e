// SPDX-License-Identifier: Apache-2.0
//
// One look for the table of a module, through all places in their order.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "symbol/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::symbol {

// Makes the bytes of a table out of files; in a process of its own, outside of tests.
using TableMaker = std::function<absl::StatusOr<std::string>(const SymbolFiles&)>;

// More than exported names and the bounds of functions: no reason to look any further.
inline bool IsGood(Quality best_quality) { return best_quality < Quality::kDynsym; }

struct SearchResult {
  // kNotFound when no place has it, kUnavailable when one could not be asked, kFailedPrecondition
  // when files were found that tell nothing, kCancelled.
  absl::Status status;
  std::string table_bytes;        // when `status` is OK
  bool is_unreachable = false;    // a place could not be asked and may have a better one
  bool is_good = false;           // as IsGood says
  std::vector<Attempt> attempts;  // of each place that was asked
};

// Ends with the first good table, or with the best of those that are not. Where two are alike, the
// one of the earlier place. `is_stopping` is asked between two steps.
SearchResult SearchTable(const Module& module,
                         std::span<const std::unique_ptr<SymbolSource>> sources,
                         const TableMaker& make_table, const std::function<bool()>& is_stopping);

}  // namespace flarestack::symbol
