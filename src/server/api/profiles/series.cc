// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <algorithm>
#include <bit>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/status.h"
#include "query/reports/events.h"
#include "query/scope/emptiness.h"
#include "query/scope/time_expression.h"
#include "query/scope/time_series.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

constexpr uint64_t kPointsMax = 2000;
constexpr uint64_t kCellsMax = 1'000'000;
constexpr std::string_view kHeatMediaType = "application/vnd.flarestack.heat.v1";

// A round step that gives a chart a few hundred points.
uint64_t NiceStep(uint64_t range_nanos) {
  using base::kNanosPerDay, base::kNanosPerHour, base::kNanosPerMinute, base::kNanosPerSecond;
  constexpr uint64_t kPointsWanted = 300;
  for (const uint64_t step :
       {kNanosPerSecond, 5 * kNanosPerSecond, 15 * kNanosPerSecond, kNanosPerMinute,
        5 * kNanosPerMinute, 15 * kNanosPerMinute, kNanosPerHour, 6 * kNanosPerHour}) {
    if (range_nanos / step <= kPointsWanted)
      return step;
  }
  return std::max<uint64_t>(1, range_nanos / kPointsWanted / kNanosPerDay) * kNanosPerDay;
}

absl::StatusOr<uint64_t> ReadStep(const Call& call, const store::TimeRange& range) {
  const uint64_t length = range.to - range.from;
  if (!call.Find("step").has_value())
    return NiceStep(length);
  FLARE_ASSIGN(const uint64_t step, ReadDuration(call, "step", ""));
  if (step == 0 || length / step > kPointsMax) {
    return WithHint(
        absl::InvalidArgumentError(
            base::StrCat("`step` produces more than ", kPointsMax, " points of this range")),
        base::StrCat("at least ", length / kPointsMax / base::kNanosPerSecond + 1, "s"));
  }
  return step;
}

// Aligns the range to whole steps, so that points stay in place as the range moves.
void AlignTo(uint64_t step, store::TimeRange* range) {
  range->from -= range->from % step;
  range->to += (step - range->to % step) % step;
}

std::vector<std::string> ReadBy(const Call& call) {
  std::vector<std::string> keys;
  for (const std::string_view text : call.request.query.FindAll("by")) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin)
        keys.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return keys;
}

absl::StatusOr<Json> WhyEmpty(const Call& call, const query::ProfileScope& scope,
                              const query::TimeSeries& series) {
  query::ScopeStacks none;
  none.total_before_filter = series.total_before_filter;
  return series.lines.empty() ? EmptyFrom(call, scope, none) : absl::StatusOr<Json>(Json());
}

// True if at least half of the samples in the largest step have their own timestamps. Without them
// all samples of a profile fall on the profile's start, and a chart only shows when profiles began.
absl::StatusOr<bool> HasSampleTimes(const Call& call, query::ProfileScope scope,
                                    const query::TimeSeries& series,
                                    const query::ReadLimits& limits) {
  if (series.lines.empty())
    return true;
  const std::vector<int64_t>& values = series.lines[0].values;
  const auto largest = static_cast<uint64_t>(std::ranges::max_element(values) - values.begin());
  scope.range.from = series.from_nanos + largest * series.step_nanos;
  scope.range.to = std::min(scope.range.to, scope.range.from + series.step_nanos);
  FLARE_ASSIGN(const query::Events events,
               query::ReadEvents(call.source(), scope, {.events_max = 1}, limits));
  return events.timeless_count * 2 <= events.event_count;
}

// The median distance between nonzero steps, over all lines; 1 if unknown.
uint64_t StepsBetweenValues(const query::TimeSeries& series) {
  std::vector<uint64_t> medians;
  for (const query::TimeSeriesLine& line : series.lines) {
    std::vector<uint64_t> distances;
    uint64_t last = 0;
    for (uint64_t i = 0; i < line.values.size(); ++i) {
      if (line.values[i] == 0)
        continue;
      if (last != 0)
        distances.push_back(i + 1 - last);
      last = i + 1;
    }
    if (distances.size() < 2)
      continue;
    const auto middle = distances.begin() + static_cast<ptrdiff_t>((distances.size() - 1) / 2);
    std::ranges::nth_element(distances, middle);
    medians.push_back(*middle);
  }
  if (medians.empty())
    return 1;
  const auto middle = medians.begin() + static_cast<ptrdiff_t>((medians.size() - 1) / 2);
  std::ranges::nth_element(medians, middle);
  return *middle;
}

// Widens the default step if samples have no timestamps. Such profiles arrive at intervals, and a
// shorter step would draw a comb, so the step becomes the time between profiles.
absl::StatusOr<query::TimeSeries> ReadSeries(const Call& call, query::ProfileScope scope,
                                             query::TimeSeriesOptions options,
                                             const query::ReadLimits& limits) {
  const store::TimeRange range = scope.range;
  AlignTo(options.step_nanos, &scope.range);
  FLARE_ASSIGN(query::TimeSeries series,
               query::ReadTimeSeries(call.source(), scope, options, limits));
  const uint64_t distance = call.Find("step").has_value() ? 1 : StepsBetweenValues(series);
  if (distance < 2)
    return series;
  FLARE_ASSIGN(const bool has_times, HasSampleTimes(call, scope, series, limits));
  if (has_times)
    return series;
  options.step_nanos *= distance;
  scope.range = range;
  AlignTo(options.step_nanos, &scope.range);
  return query::ReadTimeSeries(call.source(), scope, options, limits);
}

absl::StatusOr<Answer> GetSeries(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  query::TimeSeriesOptions options;
  FLARE_ASSIGN(options.step_nanos, ReadStep(call, scope.range));
  options.by = ReadBy(call);
  FLARE_ASSIGN(options.lines_max, ReadNumber(call, "topk", {.fallback = 10, .min = 1, .max = 100}));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::TimeSeries series, ReadSeries(call, scope, options, limits));
  Json lines = Json::array();
  for (const query::TimeSeriesLine& line : series.lines) {
    Json labels = Json::object();
    for (size_t i = 0; i < line.labels.size(); ++i)
      labels[options.by[i]] = line.labels[i];
    lines.push_back({{"labels", std::move(labels)},
                     {"rest", line.is_rest},
                     {"total", line.total},
                     {"values", line.values}});
  }
  Answer response;
  response.json = {{"type", series.type},
                   {"unit", series.unit},
                   {"gauge", series.is_gauge},
                   {"from", std::to_string(series.from_nanos)},
                   {"step_ns", series.step_nanos},
                   {"observed_ns", series.observed_nanos},
                   {"line_count", series.line_count},
                   {"lines", std::move(lines)}};
  response.scanned = ScannedFrom(series.extent);
  FLARE_ASSIGN(response.empty, WhyEmpty(call, scope, series));
  return response;
}

// A sparse map is mostly zeros, so each 0 is followed by the length of its run.
std::string RunLengthBytes(const std::vector<uint16_t>& cells) {
  std::string out;
  for (size_t i = 0; i < cells.size();) {
    size_t end = i + 1;
    while (end < cells.size() && cells[end] == cells[i])
      ++end;
    base::AppendVarint(cells[i], &out);
    base::AppendVarint(end - i, &out);
    i = end;
  }
  return out;
}

absl::StatusOr<Answer> GetHeat(Call& call) {
  FLARE_ASSIGN(query::ProfileScope scope, ReadScope(call));
  query::TimeSeriesOptions options;
  FLARE_ASSIGN(options.step_nanos, ReadDuration(call, "cell", "20ms"));
  if (options.step_nanos == 0 ||
      (scope.range.to - scope.range.from) / options.step_nanos > kCellsMax) {
    return WithHint(absl::InvalidArgumentError(base::StrCat("`cell` produces more than ", kCellsMax,
                                                            " cells of this range")),
                    "use a shorter range or larger cells");
  }
  AlignTo(options.step_nanos, &scope.range);
  if (const auto match = call.Find("match"))
    FLARE_RETURN_IF_ERROR(
        base::WithContext("match", scope.filter.Add(base::StrCat("only:", *match))));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::TimeSeries series,
               query::ReadTimeSeries(call.source(), scope, options, limits));
  const size_t cell_count = (scope.range.to - scope.range.from) / options.step_nanos;
  static const std::vector<int64_t> kNone;
  const std::vector<int64_t>& values = series.lines.empty() ? kNone : series.lines[0].values;
  const int64_t largest = values.empty() ? 0 : *std::ranges::max_element(values);
  // 16 bits are enough for colours; `scale` is the value of one unit.
  const int64_t scale = largest / UINT16_MAX + 1;
  std::vector<uint16_t> cells(cell_count, 0);
  for (size_t i = 0; i < values.size() && i < cells.size(); ++i)
    cells[i] = static_cast<uint16_t>(std::clamp<int64_t>(values[i] / scale, 0, UINT16_MAX));
  Answer response;
  response.scanned = ScannedFrom(series.extent);
  FLARE_ASSIGN(response.empty, WhyEmpty(call, scope, series));
  if (call.request.headers.Get("Accept").find(kHeatMediaType) != std::string_view::npos) {
    response.content_type = kHeatMediaType;
    response.bytes = "HEAT";
    response.bytes.push_back(1);
    base::AppendVarint(scope.range.from, &response.bytes);
    base::AppendVarint(options.step_nanos, &response.bytes);
    base::AppendVarint(static_cast<uint64_t>(scale), &response.bytes);
    base::AppendVarint(cells.size(), &response.bytes);
    response.bytes += RunLengthBytes(cells);
    return response;
  }
  response.json = {{"type", series.type},
                   {"unit", series.unit},
                   {"from", std::to_string(scope.range.from)},
                   {"cell_ns", options.step_nanos},
                   {"scale", scale},
                   {"largest", largest},
                   {"cells", cells}};
  FLARE_ASSIGN(response.json["has_sample_times"], HasSampleTimes(call, scope, series, limits));
  return response;
}

}  // namespace

std::vector<Endpoint> SeriesEndpoints() {
  return {
      {.path = "/series",
       .summary = "cost over time, by attributes",
       .parameters = ScopeParameters(
           {kTimeoutParameter,
            {.name = "by",
             .kind = Kind::kTexts,
             .summary = "attributes to group by, one line per value"},
            {.name = "step",
             .summary = "step, such as 1m; default some hundred points, or one per profile"},
            {.name = "topk",
             .kind = Kind::kNumber,
             .summary = "maximum lines, largest first; the rest are summed into one more",
             .fallback = "10"}}),
       .responses = {"Series"},
       .handler = GetSeries},
      {.path = "/heat",
       .summary = "heat map: cost in short time cells, row by row",
       .parameters =
           ScopeParameters({kTimeoutParameter,
                            {.name = "cell", .summary = "length of a cell", .fallback = "20ms"},
                            {.name = "match", .summary = "count only stacks matching this regex"}}),
       .media_types = {"application/json", kHeatMediaType},
       .responses = {"Heat"},
       .handler = GetHeat},
  };
}

}  // namespace flarestack::server::api
