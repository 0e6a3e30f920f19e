// SPDX-License-Identifier: Apache-2.0
#include "query/scope/profile_scope.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/text/text.h"
#include "model/attribute_text.h"
#include "model/sample_type.h"
#include "query/data/data_source.h"

namespace flarestack::query {
namespace {

// The types most users want to see first, if present.
constexpr std::array<std::string_view, 5> kFirstTypes = {"cpu", "wall", "off_cpu", "inuse_space",
                                                         "alloc_space"};

bool IsAmong(const std::vector<std::string>& keys, std::string_view key) {
  return std::ranges::any_of(
      keys, [&](const std::string& known) { return model::SameAttributeKey(key, known); });
}

}  // namespace

StackSetOptions SetOptionsFor(const ProfileScope& scope, const std::vector<std::string>& tag_keys) {
  StackSetOptions options;
  options.tag_keys = scope.filter.TagKeys();
  options.tag_keys.insert(options.tag_keys.end(), tag_keys.begin(), tag_keys.end());
  std::ranges::sort(options.tag_keys);
  options.tag_keys.erase(std::unique(options.tag_keys.begin(), options.tag_keys.end()),
                         options.tag_keys.end());
  options.in_period_units = scope.type.find(':') == std::string::npos;
  options.type_name = scope.type;
  return options;
}

absl::StatusOr<bool> NeedsSamples(const DataSource& source,
                                  const std::vector<std::string>& tag_keys) {
  if (tag_keys.empty())
    return false;
  FLARE_ASSIGN(const std::vector<std::string> of_resources, source.ResourceKeys());
  return !std::ranges::all_of(tag_keys,
                              [&](const std::string& key) { return IsAmong(of_resources, key); });
}

absl::StatusOr<std::string> DefaultType(const DataSource& source,
                                        const std::vector<store::Matcher>& matchers) {
  store::SeriesQuery query = {.matchers = matchers, .types = {}};
  // Matchers on samples do not apply to series.
  FLARE_ASSIGN(const std::vector<std::string> keys, source.ResourceKeys());
  std::erase_if(query.matchers,
                [&](const store::Matcher& matcher) { return !IsAmong(keys, matcher.key()); });
  for (const std::string_view type : kFirstTypes) {
    query.types = store::SampleTypesFor(type);
    FLARE_ASSIGN(const auto of_type, source.ListSeries(query));
    if (!of_type.empty())
      return std::string(type);
  }
  query.types.clear();
  FLARE_ASSIGN(const auto all, source.ListSeries(query));
  std::string first;
  for (const store::Series& series : all) {
    std::string type = base::StrCat(series.type, ":", series.unit);
    if (first.empty() || type < first)
      first = std::move(type);
  }
  return first;
}

absl::Status AddTypes(const model::Batch& batch, StackSetBuilder* builder, RowsOfSamples* rows,
                      ReadExtent* extent) {
  std::vector<model::SampleTypeView> types = model::ListSampleTypes(batch);
  std::ranges::stable_sort(types, std::greater(),
                           [](const auto& type) { return type.profiles.size(); });
  for (const model::SampleTypeView& type : types) {
    const absl::Status status = builder->Add(batch, type, rows);
    if (absl::IsInvalidArgument(status)) {
      base::StrAppend(&extent->missing, extent->missing.empty() ? "" : "; ", type.type, ":",
                      type.unit, " has a different unit and is omitted");
      continue;
    }
    FLARE_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

store::ProfileQuery QueryFor(const ProfileScope& scope, const ReadLimits& limits,
                             ReadExtent* extent) {
  store::ProfileQuery query;
  query.series.matchers = scope.matchers;
  query.series.types = store::SampleTypesFor(scope.type);
  query.range = scope.range;
  query.spans = scope.spans;
  query.try_reserve = limits.try_reserve;
  query.on_progress = [&limits, extent](const store::ReadProgress& progress) {
    extent->parts = progress.parts;
    extent->rows = progress.rows;
    if (progress.parts_done == progress.parts && progress.parts != 0)
      return true;  // all parts are read, so the deadline no longer matters
    const bool is_late = std::chrono::steady_clock::now() >= limits.deadline;
    if (!is_late && (limits.progress == nullptr || limits.progress(progress)))
      return true;
    extent->missing = base::StrCat(progress.parts - progress.parts_done, " of ", progress.parts,
                                   " parts were not read ", is_late ? "in time" : "any more",
                                   ": numbers are lower bounds");
    return false;
  };
  return query;
}

absl::StatusOr<ScopeStacks> ReadStacks(const DataSource& source, const ProfileScope& scope,
                                       const ReadLimits& limits) {
  ScopeStacks result;
  ProfileScope meant = scope;
  if (meant.type.empty()) {
    FLARE_ASSIGN(meant.type, DefaultType(source, scope.matchers));
  }
  StackSetOptions options = SetOptionsFor(meant, meant.tag_keys);
  options.by_instance = meant.by_instance;
  options.keeps_places = meant.keeps_places;
  store::ProfileQuery query = QueryFor(meant, limits, &result.extent);
  FLARE_ASSIGN(const bool needs_samples, NeedsSamples(source, options.tag_keys));
  const bool is_merged = options.tag_keys.empty() && !meant.by_instance;
  query.detail = needs_samples ? store::Detail::kSamples
                               : (is_merged ? store::Detail::kMerged : store::Detail::kSums);
  options.has_averages = !needs_samples;
  query.may_have_orphans = true;  // unused entries are never read
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  StackSetBuilder builder(std::move(options));
  FLARE_RETURN_IF_ERROR(AddTypes(batch, &builder, nullptr, &result.extent));
  result.set = std::move(builder).Finish();
  result.total_before_filter = result.set.Total();
  FLARE_RETURN_IF_ERROR(meant.filter.Apply(&result.set));
  return result;
}

}  // namespace flarestack::query
