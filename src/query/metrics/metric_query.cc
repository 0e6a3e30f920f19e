// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/metric_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "base/status.h"
#include "model/attribute_text.h"
#include "query/metrics/metric_interval.h"
#include "query/metrics/metric_rises.h"

namespace flarestack::query {
namespace {

using model::MetricKind;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kStepsWanted = 300;
constexpr std::array<uint64_t, 17> kStepSeconds = {
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200};

struct NamedAggregate {
  std::string_view name;
  Aggregate::Kind kind;
};
constexpr NamedAggregate kAggregates[] = {{"sum", Aggregate::Kind::kSum},
                                          {"avg", Aggregate::Kind::kAvg},
                                          {"min", Aggregate::Kind::kMin},
                                          {"max", Aggregate::Kind::kMax},
                                          {"count", Aggregate::Kind::kCount}};

struct Group {
  size_t series_count = 0;
  size_t group_count = 1;
  uint64_t interval_nanos = 0;  // shortest of its series; 0: unknown
  std::vector<StepCell> cells;

  void AddInterval(uint64_t nanos) {
    if (nanos > 0 && (interval_nanos == 0 || nanos < interval_nanos))
      interval_nanos = nanos;
  }
  std::vector<MetricExemplar> exemplars;
};

class MetricQuery {
 public:
  MetricQuery(const model::MetricBatch& batch, const MetricOptions& options)
      : batch_(batch), options_(options) {}

  absl::StatusOr<MetricResult> Run() {
    for (const model::Resource& resource : batch_.resources) {
      for (const model::ItemScope& scope : model::In(batch_.scopes, resource.scopes)) {
        for (const model::Metric& metric : model::In(batch_.metrics, scope.items))
          FLARE_RETURN_IF_ERROR(AddSeries(resource, metric));
      }
    }
    MakeLines();
    return std::move(result_);
  }

 private:
  absl::Status AddSeries(const model::Resource& resource, const model::Metric& metric) {
    if (metric.points.empty())
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(Compare(metric));
    Group& group = groups_[KeyOf(resource, metric)];
    if (groups_.size() * options_.grid.count > options_.cells_max) {
      return absl::InvalidArgumentError(
          base::StrCat("`by` produces more than ", options_.cells_max / options_.grid.count,
                       " groups of ", options_.grid.count,
                       " steps: narrow `q`, use a longer `step`, or group by fewer attributes"));
    }
    group.cells.resize(options_.grid.count);
    ++group.series_count;
    group.AddInterval(SeriesInterval(batch_, metric));
    AddToSteps(batch_, metric, Steps(), &group.cells);
    AddExemplars(metric, &group);
    return absl::OkStatus();
  }

  StepOptions Steps() const {
    return {.grid = options_.grid, .aggregate = result_.aggregate, .is_rate = options_.is_rate};
  }

  // The first series determines kind and unit of the response. The others must match.
  absl::Status Compare(const model::Metric& metric) {
    if (groups_.empty()) {
      result_.kind = metric.kind;
      result_.temporality = metric.temporality;
      result_.is_monotonic = metric.is_monotonic;
      result_.unit = metric.unit;
      result_.description = metric.description;
      result_.aggregate = options_.aggregate.value_or(Aggregate{
          metric.kind == MetricKind::kSum ? Aggregate::Kind::kSum : Aggregate::Kind::kAvg});
    }
    if (metric.kind != result_.kind || metric.unit != result_.unit ||
        metric.is_monotonic != result_.is_monotonic) {
      return absl::InvalidArgumentError(base::StrCat(
          "\"", metric.name, "\" has mixed types or units: narrow `q` to one of them"));
    }
    return CheckAggregate(metric, Steps());
  }

  std::vector<std::string> KeyOf(const model::Resource& resource,
                                 const model::Metric& metric) const {
    std::vector<std::string> key;
    for (const std::string& name : options_.by) {
      const model::AnyValue* value = model::FindAttribute(batch_, AttributesOf(metric), name);
      if (value == nullptr)
        value = model::FindAttribute(batch_, resource.attributes, name);
      key.push_back(value == nullptr ? "" : model::AttributeText(batch_, *value));
    }
    return key;
  }

  model::Slice AttributesOf(const model::Metric& metric) const {
    switch (metric.kind) {
      case MetricKind::kNone:
        return {};
      case MetricKind::kGauge:
      case MetricKind::kSum:
        return batch_.number_points[metric.points.begin].attributes;
      case MetricKind::kHistogram:
        return batch_.histogram_points[metric.points.begin].attributes;
      case MetricKind::kExponentialHistogram:
        return batch_.exponential_histogram_points[metric.points.begin].attributes;
      case MetricKind::kSummary:
        return batch_.summary_points[metric.points.begin].attributes;
    }
    return {};
  }

  void AddExemplars(const model::Metric& metric, Group* group) const {
    const auto add = [&](const auto& points) {
      for (const auto& point : points) {
        for (const model::Exemplar& at : model::In(batch_.exemplars, point.exemplars)) {
          const double value = ToDouble(at.value);
          if (options_.grid.Find(at.time_unix_nano).has_value() && std::isfinite(value)) {
            group->exemplars.push_back({.time = at.time_unix_nano,
                                        .value = value,
                                        .trace_id = std::string(at.trace_id),
                                        .span_id = std::string(at.span_id)});
          }
        }
      }
    };
    if (metric.kind == MetricKind::kHistogram)
      add(model::In(batch_.histogram_points, metric.points));
    else if (metric.kind == MetricKind::kExponentialHistogram)
      add(model::In(batch_.exponential_histogram_points, metric.points));
    else if (metric.kind != MetricKind::kSummary)
      add(model::In(batch_.number_points, metric.points));
    KeepLargest(&group->exemplars);
  }

  void KeepLargest(std::vector<MetricExemplar>* exemplars) const {
    if (exemplars->size() <= options_.exemplars_max)
      return;
    std::ranges::stable_sort(*exemplars, std::greater<>(), &MetricExemplar::value);
    exemplars->resize(options_.exemplars_max);
  }

  void MakeLines() {
    for (auto& [key, group] : groups_)
      result_.lines.push_back(ToLine(key, &group));
    std::vector<std::pair<double, size_t>> ranks;
    for (size_t i = 0; i < result_.lines.size(); ++i)
      ranks.emplace_back(-Weight(result_.lines[i]), i);
    std::ranges::sort(ranks);
    const size_t kept = std::min(options_.top, ranks.size());
    std::vector<MetricLine> lines;
    for (size_t i = 0; i < kept; ++i)
      lines.push_back(std::move(result_.lines[ranks[i].second]));
    if (kept < ranks.size()) {
      Group rest = {.group_count = 0, .cells = {}, .exemplars = {}};
      rest.cells.resize(options_.grid.count);
      for (size_t i = kept; i < ranks.size(); ++i)
        Join(std::next(groups_.begin(), static_cast<ptrdiff_t>(ranks[i].second))->second, &rest);
      lines.push_back(ToLine({}, &rest));
      lines.back().is_rest = true;
    }
    result_.lines = std::move(lines);
  }

  // Computes the rest from the measurements, not from the values of its lines: percentiles and
  // averages do not add up.
  void Join(const Group& group, Group* rest) const {
    rest->series_count += group.series_count;
    ++rest->group_count;
    rest->AddInterval(group.interval_nanos);
    for (size_t i = 0; i < group.cells.size(); ++i)
      rest->cells[i].Add(group.cells[i]);
    rest->exemplars.insert(rest->exemplars.end(), group.exemplars.begin(), group.exemplars.end());
    KeepLargest(&rest->exemplars);
  }

  MetricLine ToLine(const std::vector<std::string>& key, Group* group) const {
    MetricLine line = {.key = key,
                       .series_count = group->series_count,
                       .group_count = group->group_count,
                       .interval_nanos = group->interval_nanos,
                       .values = {},
                       .exemplars = group->exemplars};
    line.values.reserve(group->cells.size());
    for (const StepCell& cell : group->cells)
      line.values.push_back(cell.Value(result_.aggregate));
    std::ranges::stable_sort(line.exemplars, {}, &MetricExemplar::time);
    return line;
  }

  static double Weight(const MetricLine& line) {
    return std::accumulate(line.values.begin(), line.values.end(), 0.0,
                           [](double sum, double value) {
                             return std::isfinite(value) ? sum + std::abs(value) : sum;
                           });
  }

  const model::MetricBatch& batch_;
  const MetricOptions& options_;
  MetricResult result_;
  std::map<std::vector<std::string>, Group> groups_;
};

}  // namespace

absl::StatusOr<Aggregate> ParseAggregate(std::string_view text) {
  for (const NamedAggregate& named : kAggregates) {
    if (text == named.name)
      return Aggregate{.kind = named.kind};
  }
  double percent = -1;
  if (text.starts_with("p"))
    std::from_chars(text.data() + 1, text.data() + text.size(), percent);
  if (!(percent >= 0 && percent <= 100) ||
      AggregateText({Aggregate::Kind::kQuantile, percent / 100}) != text) {
    return absl::InvalidArgumentError(
        base::StrCat("unknown aggregate \"", text,
                     "\": sum, avg, min, max, count, or a percentile such as p95"));
  }
  return Aggregate{.kind = Aggregate::Kind::kQuantile, .share = percent / 100};
}

std::string AggregateText(const Aggregate& aggregate) {
  for (const NamedAggregate& named : kAggregates) {
    if (aggregate.kind == named.kind)
      return std::string(named.name);
  }
  // Ten digits are as many as users write, and hide the rounding error of the division by 100.
  return fmt::format("p{:.10g}", aggregate.share * 100);
}

absl::StatusOr<StepGrid> MakeGrid(store::TimeRange range, std::optional<uint64_t> step_nanos,
                                  uint64_t interval_nanos) {
  if (range.from >= range.to)
    return absl::InvalidArgumentError("`from` must be before `to`");
  const uint64_t length = range.to - range.from;
  uint64_t step = step_nanos.value_or(0);
  if (!step_nanos.has_value()) {
    // A sender's timer drifts: treat 60.3 s as a minute.
    const uint64_t step_min = interval_nanos - interval_nanos / 20;
    const auto fits = [&](uint64_t seconds) {
      return length / (seconds * kSecond) <= kStepsWanted && seconds * kSecond >= step_min;
    };
    const auto at = std::ranges::find_if(kStepSeconds, fits);
    constexpr uint64_t kDay = 86'400 * kSecond;
    const uint64_t days = std::max(length / kStepsWanted, step_min) / kDay + 1;
    step = at != kStepSeconds.end() ? *at * kSecond : days * kDay;
  }
  if (step == 0)
    return absl::InvalidArgumentError("`step` must be positive");
  StepGrid grid = {.begin = range.from / step * step, .step = step, .count = 0};
  const uint64_t count = (range.to - 1 - grid.begin) / step + 1;
  if (count > kStepsMax) {
    return absl::InvalidArgumentError(base::StrCat(
        "there are ", count, " steps, and at most ", kStepsMax, ": use a `step` of at least ",
        length / (kStepsMax - 1) / 1'000'000 + 1, "ms, or a shorter range"));
  }
  grid.count = static_cast<size_t>(count);
  return grid;
}

absl::StatusOr<MetricResult> QueryMetric(const model::MetricBatch& batch,
                                         const MetricOptions& options) {
  return MetricQuery(batch, options).Run();
}

}  // namespace flarestack::query
