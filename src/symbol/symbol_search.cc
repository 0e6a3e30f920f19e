// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbol_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"

namespace flarestack::symbol {
namespace {

struct MadeTable {
  std::string bytes;
  Quality quality = Quality::kEhFrame;
  uint64_t function_count = 0;

  bool is_good() const { return IsGood(quality); }
  bool IsBetterThan(const MadeTable& other) const {
    return quality != other.quality ? quality < other.quality
                                    : function_count > other.function_count;
  }
};

absl::StatusOr<MadeTable> Make(const TableMaker& make_table, const SymbolFiles& files) {
  FLARE_ASSIGN(std::string bytes, make_table(files));
  FLARE_ASSIGN(const SymbolTable table, SymbolTable::Open(bytes));
  const std::optional<Quality> quality = table.BestQuality();
  if (!quality.has_value())
    return absl::NotFoundError("no functions in it");
  return MadeTable{
      .bytes = std::move(bytes), .quality = *quality, .function_count = table.function_count()};
}

// What went wrong, in ascending order of severity. The status of a search is the most severe one.
enum class Trouble { kNone, kUnreadable, kUnreachable, kStopped };

Trouble TroubleOf(const absl::Status& find_status) {
  if (absl::IsCancelled(find_status))
    return Trouble::kStopped;
  if (absl::IsNotFound(find_status))
    return Trouble::kNone;
  if (absl::IsUnavailable(find_status) || absl::IsDeadlineExceeded(find_status))
    return Trouble::kUnreachable;
  return Trouble::kUnreadable;
}

absl::Status StatusOf(Trouble trouble, const std::vector<Attempt>& attempts) {
  std::string text = attempts.empty() ? "no symbol sources are configured" : "";
  for (const Attempt& attempt : attempts)
    base::StrAppend(&text, text.empty() ? "" : "; ", attempt.source, ": ", attempt.outcome);
  switch (trouble) {
    case Trouble::kNone:
      return absl::NotFoundError(text);
    case Trouble::kUnreadable:
      return absl::FailedPreconditionError(text);
    case Trouble::kUnreachable:
      return absl::UnavailableError(text);
    case Trouble::kStopped:
      return absl::CancelledError("the search was stopped");
  }
  return absl::NotFoundError(text);
}

}  // namespace

SearchResult SearchTable(const Module& module,
                         std::span<const std::unique_ptr<SymbolSource>> sources,
                         const TableMaker& make_table, const std::function<bool()>& is_stopping) {
  SearchResult result;
  std::optional<MadeTable> best;
  Trouble trouble = Trouble::kNone;
  for (const std::unique_ptr<SymbolSource>& source : sources) {
    if (is_stopping() || trouble == Trouble::kStopped || (best.has_value() && best->is_good()))
      break;
    const absl::StatusOr<SymbolFiles> files = source->Find(module);
    if (!files.ok()) {
      result.attempts.push_back(
          {.source = source->name(), .outcome = std::string(base::Message(files.status()))});
      trouble = std::max(trouble, TroubleOf(files.status()));
      continue;
    }
    if (is_stopping())
      break;
    absl::StatusOr<MadeTable> made = Make(make_table, *files);
    if (!made.ok()) {
      result.attempts.push_back(
          {.source = source->name(),
           .outcome = base::StrCat(files->origin, ": ", base::Message(made.status()))});
      trouble = std::max(trouble, Trouble::kUnreadable);
      continue;
    }
    result.attempts.push_back({.source = source->name(),
                               .outcome = base::StrCat(files->origin, ": ", made->function_count,
                                                       " functions, ", QualityName(made->quality)),
                               .is_found = true});
    if (!best.has_value() || made->IsBetterThan(*best))
      best = *std::move(made);
  }
  if (is_stopping())
    trouble = Trouble::kStopped;
  if (trouble == Trouble::kStopped || !best.has_value()) {
    result.status = StatusOf(trouble, result.attempts);
    return result;
  }
  result.is_good = best->is_good();
  result.is_unreachable = trouble == Trouble::kUnreachable;
  result.table_bytes = std::move(best->bytes);
  return result;
}

}  // namespace flarestack::symbol
