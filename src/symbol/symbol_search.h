// SPDX-License-Identifier: Apache-2.0
//
// Searches all sources in order for the table of one module.
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

// Builds the bytes of a table from files; outside tests, in a separate process.
using TableMaker = std::function<absl::StatusOr<std::string>(const SymbolFiles&)>;

// True if the table has more than exported names and function bounds, so the search can stop.
inline bool IsGood(Quality best_quality) { return best_quality < Quality::kDynsym; }

struct SearchResult {
  // kNotFound if no source has it, kUnavailable if one could not be queried, kFailedPrecondition if
  // files were found but yielded nothing, or kCancelled.
  absl::Status status;
  std::string table_bytes;        // if `status` is OK
  bool is_unreachable = false;    // a source could not be queried and may have a better table
  bool is_good = false;           // see IsGood()
  std::vector<Attempt> attempts;  // one per source queried
};

// Stops at the first good table, or returns the best of the others. If two are equal, the earlier
// source wins. `is_stopping` is called between steps.
SearchResult SearchTable(const Module& module,
                         std::span<const std::unique_ptr<SymbolSource>> sources,
                         const TableMaker& make_table, const std::function<bool()>& is_stopping);

}  // namespace flarestack::symbol
