// SPDX-License-Identifier: Apache-2.0
#include "query/scope/emptiness.h"

#include <set>

#include "base/status.h"
#include "query/data/data_source.h"

namespace flarestack::query {
namespace {

class Explainer {
 public:
  Explainer(const DataSource& source, const ProfileScope& scope) : source_(source), scope_(scope) {}

  absl::StatusOr<Emptiness> Explain(bool was_filtered_away) {
    if (was_filtered_away)
      return FilteredAway();
    const auto types = store::SampleTypesFor(scope_.type);
    FLARE_ASSIGN(const auto matching, source_.ListSeries({scope_.matchers, types}));
    if (!matching.empty())
      return OtherTime({scope_.matchers, types});
    FLARE_ASSIGN(const auto of_any_type, source_.ListSeries({scope_.matchers, {}}));
    if (!of_any_type.empty())
      return OtherType(of_any_type);
    for (size_t i = 0; i < scope_.matchers.size(); ++i) {
      std::vector<store::Matcher> others = scope_.matchers;
      others.erase(others.begin() + static_cast<ptrdiff_t>(i));
      FLARE_ASSIGN(const auto without, source_.ListSeries({others, types}));
      if (!without.empty()) {
        const std::string text = store::SelectorText({scope_.matchers[i]});
        return Emptiness{.reason = base::StrCat("no data matches ", text), .matcher = text};
      }
    }
    FLARE_ASSIGN(const auto any, source_.ListSeries({}));
    return Emptiness{.reason = any.empty() ? "no profiles are stored yet"
                                           : "no data matches the selector"};
  }

 private:
  absl::StatusOr<Emptiness> FilteredAway() {
    ProfileScope unfiltered = scope_;
    unfiltered.filter = {};
    unfiltered.tag_keys = scope_.filter.TagKeys();
    FLARE_ASSIGN(ScopeStacks stacks, ReadStacks(source_, unfiltered, {}));
    FLARE_ASSIGN(const std::string step, scope_.filter.StepThatEmpties(&stacks.set));
    return Emptiness{
        .reason = base::StrCat("the filter removes all samples: ", step, " removes the rest"),
        .step = step};
  }

  absl::StatusOr<Emptiness> OtherTime(const store::SeriesQuery& query) {
    if (!scope_.spans.empty())
      return Emptiness{.reason = "no samples are tagged with this trace or span"};
    Emptiness emptiness = {.reason = "no data in this time range"};
    FLARE_ASSIGN(const uint64_t before, source_.NearestHour(query, scope_.range.from));
    emptiness.nearest_nanos = before;
    return emptiness;
  }

  absl::StatusOr<Emptiness> OtherType(const std::vector<store::Series>& series) {
    std::set<std::string> types;
    for (const store::Series& one : series)
      types.insert(base::StrCat(one.type, ":", one.unit));
    return Emptiness{.reason = base::StrCat("no profiles of type \"", scope_.type, "\""),
                     .types = {types.begin(), types.end()}};
  }

  const DataSource& source_;
  const ProfileScope& scope_;
};

}  // namespace

absl::StatusOr<Emptiness> ExplainEmpty(const DataSource& source, const ProfileScope& scope,
                                       bool was_filtered_away) {
  return Explainer(source, scope).Explain(was_filtered_away);
}

}  // namespace flarestack::query
