// SPDX-License-Identifier: Apache-2.0
#include "query/reports/events.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/status.h"
#include "query/data/data_source.h"
#include "query/stacks/stack_set_builder.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kNoLane = "[no thread]";

class Reader {
 public:
  Reader(const ProfileScope& scope, const EventsOptions& options)
      : scope_(scope), options_(options) {}

  absl::StatusOr<Events> Read(const model::Batch& batch) {
    StackSetOptions set_options = SetOptionsFor(scope_, options_.lane_keys);
    set_options.keeps_rows_apart = true;
    StackSetBuilder builder(std::move(set_options));
    RowsOfSamples rows;
    FLARE_RETURN_IF_ERROR(AddTypes(batch, &builder, &rows, &events_.extent));
    set_ = std::move(builder).Finish();
    events_.total_before_filter = set_.Total();
    events_.type = set_.type;
    events_.unit = set_.unit;
    FLARE_RETURN_IF_ERROR(scope_.filter.Apply(&set_));
    PlaceRows();
    for (size_t p = 0; p < batch.profiles.size() && !rows.rows.empty(); ++p)
      AddProfile(batch, batch.profiles[p], rows, rows.factors[p]);
    Cut();
    SortLanes();
    return std::move(events_);
  }

 private:
  struct Place {
    uint32_t lane = 0;
    uint32_t stack = RowsOfSamples::kNone;  // kNone: removed by the filter
  };

  // Finds the lane and stack of each remaining row.
  void PlaceRows() {
    const std::vector<uint32_t> left = RowsLeft(set_);
    const uint32_t row_count = left.empty() ? 0 : *std::ranges::max_element(left) + 1;
    places_.resize(row_count);
    for (size_t i = 0; i < left.size(); ++i)
      places_[left[i]] = {.lane = LaneOf(set_.rows[i]), .stack = StackOf(set_.rows[i])};
  }

  uint32_t LaneOf(const StackRow& row) {
    std::string text;
    for (const std::string& key : options_.lane_keys) {
      for (const Tag& tag : set_.TagsOf(row)) {
        if (set_.table.Text(tag.key) == key)
          base::StrAppend(&text, text.empty() ? "" : " ", set_.table.Text(tag.value));
      }
    }
    if (text.empty())
      text = kNoLane;
    const auto [at, is_new] =
        lanes_.try_emplace(std::move(text), static_cast<uint32_t>(events_.lanes.size()));
    if (is_new)
      events_.lanes.push_back(at->first);
    return at->second;
  }

  uint32_t StackOf(const StackRow& row) {
    std::vector<uint32_t> stack;
    for (const FrameId id : set_.FramesOf(row)) {
      const Frame& frame = set_.table.At(id);
      const TextId function = frame.function;
      const auto [at, is_new] =
          functions_.try_emplace(function.value, static_cast<uint32_t>(events_.functions.size()));
      if (is_new) {
        events_.functions.emplace_back(set_.table.Text(function));
        events_.function_types.emplace_back(set_.table.Text(frame.type));
        events_.function_modules.emplace_back(set_.table.Text(frame.module));
      }
      stack.push_back(at->second);
    }
    const auto [at, is_new] =
        stacks_.try_emplace(stack, static_cast<uint32_t>(events_.stacks.size()));
    if (is_new)
      events_.stacks.push_back(std::move(stack));
    return at->second;
  }

  void AddProfile(const model::Batch& batch, const model::Profile& profile,
                  const RowsOfSamples& rows, int64_t factor) {
    for (uint32_t i = profile.samples.begin; i < profile.samples.end(); ++i) {
      const uint32_t row = rows.rows[i];
      if (row >= places_.size() || places_[row].stack == RowsOfSamples::kNone)
        continue;
      const model::Sample& sample = batch.samples[i];
      const auto times = model::In(batch.timestamps, sample.timestamps);
      const auto values = model::In(batch.values, sample.values);
      const size_t count = std::max<size_t>(times.size(), values.size());
      for (size_t k = 0; k < count; ++k) {
        const uint64_t time = times.empty() ? profile.time_unix_nano : times[k];
        if (time < scope_.range.from || time >= scope_.range.to)
          continue;
        events_.timeless_count += times.empty() ? 1 : 0;
        const int64_t value = values.empty() ? 1 : values[k];
        events_.events.push_back({.time_nanos = time,
                                  .value = base::SaturatingMultiply(value, factor),
                                  .lane = places_[row].lane,
                                  .stack = places_[row].stack});
      }
    }
  }

  // Cuts between instants, so that a client that continues at the next instant gets each event
  // once. An instant with more events than the limit is returned whole.
  void Cut() {
    std::vector<Event>& events = events_.events;
    std::ranges::sort(events, [](const Event& a, const Event& b) {
      return std::tie(a.time_nanos, a.lane, a.stack, a.value) <
             std::tie(b.time_nanos, b.lane, b.stack, b.value);
    });
    events_.event_count = events.size();
    if (events.size() <= options_.events_max)
      return;
    size_t end = options_.events_max;
    while (end > 0 && events[end - 1].time_nanos == events[end].time_nanos)
      --end;
    if (end == 0) {
      end = options_.events_max;
      while (end < events.size() && events[end].time_nanos == events[0].time_nanos)
        ++end;
    }
    if (end < events.size())
      events_.next_nanos = events[end].time_nanos;
    events.resize(end);
  }

  void SortLanes() {
    std::vector<uint32_t> place(events_.lanes.size());
    std::vector<std::string> sorted = events_.lanes;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i)
      place[lanes_.at(sorted[i])] = static_cast<uint32_t>(i);
    events_.lanes = std::move(sorted);
    for (Event& event : events_.events)
      event.lane = place[event.lane];
    std::ranges::stable_sort(events_.events, [](const Event& a, const Event& b) {
      return std::tie(a.time_nanos, a.lane) < std::tie(b.time_nanos, b.lane);
    });
  }

  const ProfileScope& scope_;
  const EventsOptions& options_;
  StackSet set_;
  std::vector<Place> places_;  // by row
  absl::flat_hash_map<std::string, uint32_t> lanes_;
  absl::flat_hash_map<uint32_t, uint32_t> functions_;
  std::map<std::vector<uint32_t>, uint32_t> stacks_;
  Events events_;
};

}  // namespace

absl::StatusOr<Events> ReadEvents(const DataSource& source, const ProfileScope& scope,
                                  const EventsOptions& options, const ReadLimits& limits) {
  ProfileScope resolved = scope;
  if (resolved.type.empty()) {
    FLARE_ASSIGN(resolved.type, DefaultType(source, scope.matchers));
  }
  ReadExtent extent;
  store::ProfileQuery query = QueryFor(resolved, limits, &extent);
  query.detail = store::Detail::kSamples;
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  FLARE_ASSIGN(Events events, Reader(resolved, options).Read(batch));
  extent.missing += events.extent.missing;
  events.extent = std::move(extent);
  return events;
}

}  // namespace flarestack::query
