// SPDX-License-Identifier: Apache-2.0
#include "query/scope/time_series.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/saturating.h"
#include "base/status.h"
#include "base/step_finder.h"
#include "model/gauge_type.h"
#include "model/sample_type.h"
#include "query/data/data_source.h"
#include "query/stacks/stack_set_builder.h"
#include "store/chunk/presence.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kStepsMax = 1'000'000;
constexpr uint64_t kCellsMax = 20'000'000;  // values of all lines together

class Reader {
 public:
  // `has_snapshots`: gauge values are individual snapshots, not yet averaged.
  Reader(const ProfileScope& scope, const TimeSeriesOptions& options, bool has_snapshots)
      : scope_(scope), options_(options), has_snapshots_(has_snapshots) {}

  absl::StatusOr<TimeSeries> Read(const model::Batch& batch) {
    step_count_ = (scope_.range.to - scope_.range.from - 1) / options_.step_nanos + 1;
    StackSetOptions set_options = SetOptionsFor(scope_, options_.by);
    set_options.keeps_rows_apart = true;
    set_options.has_averages = true;  // averages are computed step by step
    StackSetBuilder builder(std::move(set_options));
    RowsOfSamples rows;
    FLARE_RETURN_IF_ERROR(AddTypes(batch, &builder, &rows, &series_.extent));
    set_ = std::move(builder).Finish();
    series_.total_before_filter = set_.Total();
    series_.is_gauge = model::IsGaugeType(set_.type);
    FindLines();
    FLARE_RETURN_IF_ERROR(AddEvents(batch, rows));
    if (series_.is_gauge)
      AverageTotals();
    series_.observed_nanos = ObservedNanos();
    series_.type = set_.type;
    series_.unit = set_.unit;
    series_.from_nanos = scope_.range.from;
    series_.step_nanos = options_.step_nanos;
    KeepLargest();
    return std::move(series_);
  }

 private:
  // Assigns each row to a line. Rows that the filter removes have none.
  void FindLines() {
    std::vector<uint32_t> all = RowsLeft(set_);
    std::vector<std::vector<std::string>> labels(set_.rows.size());
    for (size_t i = 0; i < set_.rows.size(); ++i)
      labels[i] = LabelsOf(set_.rows[i]);
    const uint32_t row_count = all.empty() ? 0 : *std::ranges::max_element(all) + 1;
    std::vector<uint32_t> label_of(row_count, 0);
    for (size_t i = 0; i < all.size(); ++i)
      label_of[all[i]] = static_cast<uint32_t>(i);
    filter_status_ = scope_.filter.Apply(&set_);
    line_of_row_.assign(row_count, RowsOfSamples::kNone);
    std::map<std::vector<std::string>, uint32_t> lines;
    for (const uint32_t row : RowsLeft(set_)) {
      const auto [at, is_new] =
          lines.try_emplace(labels[label_of[row]], static_cast<uint32_t>(series_.lines.size()));
      if (is_new)
        series_.lines.push_back({.labels = at->first});
      line_of_row_[row] = at->second;
    }
  }

  std::vector<std::string> LabelsOf(const StackRow& row) const {
    std::vector<std::string> labels;
    for (const std::string& key : options_.by) {
      std::string text;
      for (const Tag& tag : set_.TagsOf(row)) {
        if (set_.table.Text(tag.key) == key)
          base::StrAppend(&text, text.empty() ? "" : ", ", set_.table.Text(tag.value));
      }
      labels.push_back(std::move(text));
    }
    return labels;
  }

  absl::Status AddEvents(const model::Batch& batch, const RowsOfSamples& rows) {
    FLARE_RETURN_IF_ERROR(filter_status_);
    if (series_.lines.size() * step_count_ > kCellsMax) {
      return absl::ResourceExhaustedError(
          base::StrCat(series_.lines.size(), " lines of ", step_count_, " steps are too many"));
    }
    for (TimeSeriesLine& line : series_.lines)
      line.values.assign(step_count_, 0);
    if (series_.is_gauge && has_snapshots_)
      return AddSnapshots(batch, rows);
    for (size_t p = 0; p < batch.profiles.size() && !rows.rows.empty(); ++p) {
      const model::Profile& profile = batch.profiles[p];
      for (uint32_t i = profile.samples.begin; i < profile.samples.end(); ++i) {
        const uint32_t row = rows.rows[i];
        if (row < line_of_row_.size() && line_of_row_[row] != RowsOfSamples::kNone)
          AddSample(batch, profile, batch.samples[i], rows.factors[p],
                    &series_.lines[line_of_row_[row]]);
      }
    }
    return absl::OkStatus();
  }

  void AddSample(const model::Batch& batch, const model::Profile& profile,
                 const model::Sample& sample, int64_t factor, TimeSeriesLine* line) const {
    base::StepFinder steps(scope_.range.from, options_.step_nanos);
    const auto add = [&](uint64_t time, int64_t value) {
      if (time < scope_.range.from || time >= scope_.range.to)
        return;
      value = base::SaturatingMultiply(value, factor);
      int64_t& sum = line->values[steps.Find(time)];
      sum = base::SaturatingAdd(sum, value);
      line->total = base::SaturatingAdd(line->total, value);
    };
    const auto times = model::In(batch.timestamps, sample.timestamps);
    const auto values = model::In(batch.values, sample.values);
    if (times.empty())
      return add(profile.time_unix_nano, model::Weight(batch, sample));
    for (size_t i = 0; i < times.size(); ++i)
      add(times[i], values.empty() ? 1 : values[i]);
  }

  // Each profile is a snapshot: a step has the average of the snapshots of each series.
  absl::Status AddSnapshots(const model::Batch& batch, const RowsOfSamples& rows) {
    const auto is_inside = [&](uint64_t time) {
      return time >= scope_.range.from && time < scope_.range.to;
    };
    const auto step_of = [&](uint64_t time) {
      return (time - scope_.range.from) / options_.step_nanos;
    };
    std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> snapshots;  // by scope and step
    for (uint32_t scope = 0; scope < batch.scopes.size(); ++scope) {
      const model::Slice profiles = batch.scopes[scope].profiles;
      for (uint32_t p = profiles.begin; p < profiles.end(); ++p) {
        if (is_inside(batch.profiles[p].time_unix_nano))
          snapshots[{scope, step_of(batch.profiles[p].time_unix_nano)}].push_back(p);
      }
    }
    for (const auto& [scope_and_step, profiles] : snapshots) {
      std::map<uint32_t, int64_t> sums;  // by line
      for (const uint32_t p : profiles) {
        const model::Profile& profile = batch.profiles[p];
        for (uint32_t i = profile.samples.begin; i < profile.samples.end(); ++i) {
          const uint32_t row = i < rows.rows.size() ? rows.rows[i] : RowsOfSamples::kNone;
          if (row >= line_of_row_.size() || line_of_row_[row] == RowsOfSamples::kNone)
            continue;
          int64_t& sum = sums[line_of_row_[row]];
          sum = base::SaturatingAdd(sum, model::Weight(batch, batch.samples[i]));
        }
      }
      for (const auto& [line, sum] : sums) {
        int64_t& value = series_.lines[line].values[scope_and_step.second];
        value = base::SaturatingAdd(value, sum / static_cast<int64_t>(profiles.size()));
      }
    }
    return absl::OkStatus();
  }

  // The total of a gauge is the average over the steps that have any value.
  void AverageTotals() {
    std::vector<bool> is_observed(step_count_, false);
    for (const TimeSeriesLine& line : series_.lines) {
      for (size_t step = 0; step < step_count_; ++step) {
        if (line.values[step] != 0)
          is_observed[step] = true;
      }
    }
    const auto observed = std::max<int64_t>(1, std::ranges::count(is_observed, true));
    for (TimeSeriesLine& line : series_.lines) {
      double sum = 0;
      for (const int64_t value : line.values)
        sum += static_cast<double>(value);
      line.total = static_cast<int64_t>(std::llround(sum / static_cast<double>(observed)));
    }
  }

  // On average, data that starts or ends within the range does so in the middle of a step.
  uint64_t ObservedNanos() const {
    store::Presence presence(static_cast<uint32_t>(step_count_));
    for (const TimeSeriesLine& line : series_.lines) {
      for (uint32_t step = 0; step < step_count_; ++step) {
        if (line.values[step] != 0)
          presence.Mark(step);
      }
    }
    const std::vector<bool> covered = presence.Covered({});
    uint64_t half_steps = 0;
    for (size_t step = 0; step < step_count_; ++step) {
      if (!covered[step])
        continue;
      const bool begins = step > 0 && !covered[step - 1];
      const bool ends = step + 1 < step_count_ && !covered[step + 1];
      half_steps += begins != ends ? 1U : (begins ? 1U : 2U);
    }
    return half_steps * options_.step_nanos / 2;
  }

  void KeepLargest() {
    std::vector<TimeSeriesLine>& lines = series_.lines;
    std::ranges::sort(lines, [](const TimeSeriesLine& a, const TimeSeriesLine& b) {
      return a.total != b.total ? a.total > b.total : a.labels < b.labels;
    });
    series_.line_count = lines.size();
    if (lines.size() <= options_.lines_max)
      return;
    TimeSeriesLine rest = {.is_rest = true, .values = std::vector<int64_t>(step_count_, 0)};
    for (size_t i = options_.lines_max; i < lines.size(); ++i) {
      rest.total = base::SaturatingAdd(rest.total, lines[i].total);
      for (size_t step = 0; step < step_count_; ++step)
        rest.values[step] = base::SaturatingAdd(rest.values[step], lines[i].values[step]);
    }
    lines.resize(options_.lines_max);
    lines.push_back(std::move(rest));
  }

  const ProfileScope& scope_;
  const TimeSeriesOptions& options_;
  const bool has_snapshots_;
  uint64_t step_count_ = 0;
  StackSet set_;
  absl::Status filter_status_;
  std::vector<uint32_t> line_of_row_;
  TimeSeries series_;
};

}  // namespace

absl::StatusOr<TimeSeries> ReadTimeSeries(const DataSource& source, const ProfileScope& scope,
                                          const TimeSeriesOptions& options,
                                          const ReadLimits& limits) {
  if (options.step_nanos == 0 ||
      (scope.range.to - scope.range.from) / options.step_nanos >= kStepsMax)
    return absl::InvalidArgumentError("the step is too short for this range");
  ProfileScope meant = scope;
  if (meant.type.empty()) {
    FLARE_ASSIGN(meant.type, DefaultType(source, scope.matchers));
  }
  ReadExtent extent;
  store::ProfileQuery query = QueryFor(meant, limits, &extent);
  std::vector<std::string> keys = meant.filter.TagKeys();
  keys.insert(keys.end(), options.by.begin(), options.by.end());
  FLARE_ASSIGN(const bool needs_samples, NeedsSamples(source, keys));
  query.detail = needs_samples ? store::Detail::kSamples : store::Detail::kSteps;
  query.step_nanos = options.step_nanos;
  query.without_stacks = meant.filter.empty();
  FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
  FLARE_ASSIGN(TimeSeries series, Reader(meant, options, needs_samples).Read(batch));
  extent.missing += series.extent.missing;
  series.extent = std::move(extent);
  return series;
}

}  // namespace flarestack::query
