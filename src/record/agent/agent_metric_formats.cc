// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent_metric_formats.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "codec/otlp/signals/metrics_protobuf.h"
#include "codec/wire/reverse_writer.h"
#include "model/metric.h"

namespace flarestack::record::agent {
namespace {

constexpr std::string_view kScope = "flarestack.agent";

// Builds the tables of one message.
class OtlpWriter {
 public:
  OtlpWriter(uint64_t start_unix_ns, uint64_t now_unix_ns)
      : start_unix_ns_(start_unix_ns), now_unix_ns_(now_unix_ns) {}

  void SetResource(std::span<const TextAttribute> attributes) {
    model::Resource& resource = batch_.resources.emplace_back();
    resource.present = true;
    resource.attributes.begin = NodeCount();
    for (const TextAttribute& attribute : attributes)
      AddNode(attribute.key, attribute.value);
    resource.attributes.count = NodeCount() - resource.attributes.begin;
    resource.scopes = {.begin = 0, .count = 1};
    model::ItemScope& scope = batch_.scopes.emplace_back();
    scope.present = true;
    scope.name = kScope;
  }

  void Add(const AgentMetric& source) {
    model::Metric& metric = batch_.metrics.emplace_back();
    metric.name = batch_.arena.Copy(base::StrCat(kScope, ".", source.name));
    metric.description = source.help;
    metric.unit = source.unit;
    metric.kind = source.is_counter ? model::MetricKind::kSum : model::MetricKind::kGauge;
    metric.is_monotonic = source.is_counter;
    if (source.is_counter)
      metric.temporality = model::Temporality::kCumulative;
    metric.points.begin = static_cast<uint32_t>(batch_.number_points.size());
    for (const AgentMetric::Point& from : source.points) {
      model::NumberPoint& point = batch_.number_points.emplace_back();
      point.start_time_unix_nano = source.is_counter ? start_unix_ns_ : 0;
      point.time_unix_nano = now_unix_ns_;
      point.value = model::NumberValue::Double(from.value);
      point.attributes.begin = NodeCount();
      if (!source.label.empty())
        AddNode(source.label, from.label_value);
      point.attributes.count = NodeCount() - point.attributes.begin;
    }
    metric.points.count = static_cast<uint32_t>(source.points.size());
    ++batch_.scopes.back().items.count;
  }

  std::string Take() {
    codec::wire::ReverseWriter out(size_t{16} << 10);
    codec::otlp::EncodeMetrics(batch_, &out);
    return std::string(out.view());
  }

 private:
  uint32_t NodeCount() const { return static_cast<uint32_t>(batch_.nodes.size()); }
  void AddNode(std::string_view key, std::string_view value) {
    model::KeyValue& node = batch_.nodes.emplace_back();
    node.key = key;
    node.value = model::AnyValue::String(value);
  }

  const uint64_t start_unix_ns_;
  const uint64_t now_unix_ns_;
  model::MetricBatch batch_;
};

}  // namespace

std::string ToPrometheusText(std::span<const AgentMetric> metrics) {
  std::string text;
  for (const AgentMetric& metric : metrics) {
    const std::string name =
        fmt::format("flarestack_agent_{}{}", metric.name, metric.is_counter ? "_total" : "");
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, metric.help, name,
                        metric.is_counter ? "counter" : "gauge");
    for (const AgentMetric::Point& point : metric.points) {
      const std::string labels =
          metric.label.empty() ? "" : fmt::format("{{{}=\"{}\"}}", metric.label, point.label_value);
      text += fmt::format("{}{} {}\n", name, labels, point.value);
    }
  }
  return text;
}

std::string ToOtlpRequest(std::span<const AgentMetric> metrics,
                          std::span<const TextAttribute> resource, uint64_t start_unix_ns,
                          uint64_t now_unix_ns) {
  OtlpWriter writer(start_unix_ns, now_unix_ns);
  writer.SetResource(resource);
  for (const AgentMetric& metric : metrics)
    writer.Add(metric);
  return writer.Take();
}

}  // namespace flarestack::record::agent
