// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "demo/heap.h"
#include "demo/item_tree.h"
#include "demo/signals.h"

namespace flarestack::demo {
namespace {

// From the semantic conventions for HTTP request durations, in seconds.
constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};
constexpr size_t kExemplarsMax = 2;  // per data point: its slowest requests

uint32_t Size32(size_t size) { return static_cast<uint32_t>(size); }

double Seconds(uint64_t nanos) { return static_cast<double>(nanos) * 1e-9; }

struct ServedRequest {
  const Request* request;
  const Span* span;
};

// Keyed by method, route and status, which identify a series.
using Routes = std::map<std::vector<std::string>, std::vector<ServedRequest>>;

std::string TextOf(const Span& span, std::string_view key) {
  for (const Attribute& attribute : span.attributes) {
    if (attribute.key != key)
      continue;
    const auto* const text = std::get_if<std::string>(&attribute.value);
    return text != nullptr ? *text : std::to_string(std::get<int64_t>(attribute.value));
  }
  return "";
}

Routes RoutesOf(const Process& process, const Window& window) {
  Routes routes;
  for (const Request& request : window.requests) {
    for (const Span& span : request.spans) {
      if (span.process == process && span.kind == model::SpanKind::kServer) {
        routes[{TextOf(span, "http.request.method"), TextOf(span, "http.route"),
                TextOf(span, "http.response.status_code")}]
            .push_back({&request, &span});
      }
    }
  }
  return routes;
}

class MetricWriter {
 public:
  MetricWriter(const Timeline& timeline, const Window& window, model::MetricBatch* batch)
      : timeline_(timeline), window_(window), batch_(*batch) {}

  void Write(const Process& process) {
    const uint32_t begin = Size32(batch_.metrics.size());
    const Routes routes = RoutesOf(process, window_);
    if (!routes.empty()) {
      WriteDurations(routes);
      WriteCounts(routes);
    }
    WriteGauge({.name = "process.cpu.utilization", .description = "Processors in use", .unit = "1"},
               model::NumberValue::Double(CpuOf(process)));
    WriteGauge(
        {.name = "process.memory.usage", .description = "Memory in use", .unit = "By"},
        model::NumberValue::Int(static_cast<int64_t>(MemoryOf(timeline_, process, window_.index))));
    AddProcess(process, {begin, Size32(batch_.metrics.size()) - begin}, &batch_);
  }

 private:
  model::Point PointOf(const std::vector<std::string>& route) {
    const Attributes attributes = {{"http.request.method", route[0]},
                                   {"http.route", route[1]},
                                   {"http.response.status_code", int64_t{std::stoi(route[2])}}};
    return {.attributes = AddAttributes(attributes, &batch_),
            .start_time_unix_nano = window_.begin_nanos,
            .time_unix_nano = window_.end_nanos()};
  }

  void WriteDurations(const Routes& routes) {
    model::Metric metric = {.name = "http.server.request.duration",
                            .description = "How long requests took",
                            .unit = "s",
                            .kind = model::MetricKind::kHistogram,
                            .temporality = model::Temporality::kDelta};
    metric.points = {Size32(batch_.histogram_points.size()), Size32(routes.size())};
    for (const auto& [route, served] : routes)
      WriteHistogram(route, served);
    batch_.metrics.push_back(metric);
  }

  void WriteHistogram(const std::vector<std::string>& route, std::vector<ServedRequest> served) {
    std::ranges::stable_sort(served, std::greater(), [](const ServedRequest& entry) {
      return entry.span->duration_nanos();
    });
    model::HistogramPoint point;
    static_cast<model::Point&>(point) = PointOf(route);
    point.count = served.size();
    point.max = Seconds(served.front().span->duration_nanos());
    point.min = Seconds(served.back().span->duration_nanos());
    point.sum = 0;
    point.explicit_bounds = {Size32(batch_.bounds.size()), Size32(kBounds.size())};
    batch_.bounds.insert(batch_.bounds.end(), kBounds.begin(), kBounds.end());
    point.bucket_counts = {Size32(batch_.bucket_counts.size()), Size32(kBounds.size() + 1)};
    batch_.bucket_counts.resize(point.bucket_counts.end());
    for (const ServedRequest& entry : served) {
      const double seconds = Seconds(entry.span->duration_nanos());
      *point.sum += seconds;
      // A bucket includes its upper bound.
      const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
      ++batch_.bucket_counts[point.bucket_counts.begin + static_cast<size_t>(bucket)];
    }
    served.resize(std::min(served.size(), kExemplarsMax));
    point.exemplars = AddExemplars(served);
    batch_.histogram_points.push_back(point);
  }

  model::Slice AddExemplars(const std::vector<ServedRequest>& served) {
    const model::Slice slice = {Size32(batch_.exemplars.size()), Size32(served.size())};
    for (const auto& [request, span] : served) {
      batch_.exemplars.push_back(
          {.time_unix_nano = span->end_nanos,
           .value = model::NumberValue::Double(Seconds(span->duration_nanos())),
           .span_id = batch_.arena.Copy(span->span_id),
           .trace_id = batch_.arena.Copy(request->trace_id)});
    }
    return slice;
  }

  void WriteCounts(const Routes& routes) {
    model::Metric metric = {.name = "http.server.requests",
                            .description = "Requests that were served",
                            .unit = "{request}",
                            .kind = model::MetricKind::kSum,
                            .is_monotonic = true,
                            .temporality = model::Temporality::kDelta};
    metric.points = {Size32(batch_.number_points.size()), Size32(routes.size())};
    for (const auto& [route, served] : routes) {
      model::NumberPoint point;
      static_cast<model::Point&>(point) = PointOf(route);
      point.value = model::NumberValue::Int(static_cast<int64_t>(served.size()));
      batch_.number_points.push_back(point);
    }
    batch_.metrics.push_back(metric);
  }

  void WriteGauge(model::Metric metric, model::NumberValue value) {
    metric.kind = model::MetricKind::kGauge;
    metric.points = {Size32(batch_.number_points.size()), 1};
    model::NumberPoint point;
    point.time_unix_nano = window_.end_nanos();
    point.value = value;
    batch_.number_points.push_back(point);
    batch_.metrics.push_back(metric);
  }

  // Counts the same ticks as the samples of the profile.
  double CpuOf(const Process& process) const {
    uint64_t nanos = 0;
    for (const BackgroundTick& tick : window_.background)
      nanos += tick.process == process ? kTickNanos : 0;
    for (const Request& request : window_.requests) {
      for (const Span& span : request.spans) {
        if (span.process != process)
          continue;
        for (const Stretch& stretch : span.stretches)
          nanos += stretch.is_wait() ? 0 : stretch.duration_nanos;
      }
    }
    return static_cast<double>(nanos) / static_cast<double>(kWindowNanos);
  }

  const Timeline& timeline_;
  const Window& window_;
  model::MetricBatch& batch_;
};

}  // namespace

model::MetricBatch MetricsOf(const Timeline& timeline, const Window& window) {
  model::MetricBatch batch;
  MetricWriter writer(timeline, window, &batch);
  for (const Process& process : window.processes)
    writer.Write(process);
  return batch;
}

}  // namespace flarestack::demo
