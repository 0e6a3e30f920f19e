// SPDX-License-Identifier: Apache-2.0
#include "model/dump/signal_dump.h"

#include <cmath>
#include <optional>

#include "base/text/text.h"
#include "model/dump/dump_lines.h"

namespace flarestack::model {
namespace {

class SignalDumper : protected DumpLines {
 protected:
  explicit SignalDumper(const SignalBatch& batch) : DumpLines(batch.nodes), batch_(batch) {}

  template <typename Item, typename AddItem>
  std::string Run(const std::vector<Item>& items, AddItem add_item) {
    for (const Resource& resource : batch_.resources) {
      AddHead(resource, In(batch_.entity_refs, resource.entity_refs), batch_.entity_keys);
      const Nest nest(this);
      for (const ItemScope& scope : In(batch_.scopes, resource.scopes)) {
        AddHead(scope);
        const Nest inner_nest(this);
        for (const Item& item : In(items, scope.items)) {
          add_item(item);
        }
      }
    }
    return TakeText();
  }

  // Zero is the default; negative zero is not.
  void DoubleLine(std::string_view name, double number) {
    if (number != 0 || std::signbit(number)) {
      Line(name, " ", DoubleText(number));
    }
  }
  template <typename Enum>
  void EnumLine(std::string_view name, Enum number) {
    NumberLine(name, static_cast<int32_t>(number));
  }

 private:
  const SignalBatch& batch_;
};

class TraceDumper : SignalDumper {
 public:
  explicit TraceDumper(const TraceBatch& batch) : SignalDumper(batch), batch_(batch) {}

  std::string Run() {
    return SignalDumper::Run(batch_.spans, [this](const Span& span) { Add(span); });
  }

 private:
  void Add(const Span& span) {
    Line("span ", Quoted(span.name));
    const Nest nest(this);
    IdLine("trace_id", span.trace_id);
    IdLine("span_id", span.span_id);
    IdLine("parent_span_id", span.parent_span_id);
    TextLine("trace_state", span.trace_state);
    EnumLine("kind", span.kind);
    NumberLine("start_time_unix_nano", span.start_time_unix_nano);
    NumberLine("end_time_unix_nano", span.end_time_unix_nano);
    NumberLine("flags", span.flags);
    EnumLine("status_code", span.status_code);
    TextLine("status_message", span.status_message);
    NumberLine("dropped_attributes_count", span.dropped_attributes_count);
    NumberLine("dropped_events_count", span.dropped_events_count);
    NumberLine("dropped_links_count", span.dropped_links_count);
    AddNodes(span.attributes);
    for (const SpanEvent& event : In(batch_.events, span.events)) {
      Add(event);
    }
    for (const SpanLink& link : In(batch_.links, span.links)) {
      Add(link);
    }
  }

  void Add(const SpanEvent& event) {
    Line("event ", Quoted(event.name));
    const Nest nest(this);
    NumberLine("time_unix_nano", event.time_unix_nano);
    NumberLine("dropped_attributes_count", event.dropped_attributes_count);
    AddNodes(event.attributes);
  }

  void Add(const SpanLink& link) {
    Line("link");
    const Nest nest(this);
    IdLine("trace_id", link.trace_id);
    IdLine("span_id", link.span_id);
    TextLine("trace_state", link.trace_state);
    NumberLine("flags", link.flags);
    NumberLine("dropped_attributes_count", link.dropped_attributes_count);
    AddNodes(link.attributes);
  }

  const TraceBatch& batch_;
};

class LogDumper : SignalDumper {
 public:
  explicit LogDumper(const LogBatch& batch) : SignalDumper(batch), batch_(batch) {}

  std::string Run() {
    return SignalDumper::Run(batch_.log_records, [this](const LogRecord& record) { Add(record); });
  }

 private:
  void Add(const LogRecord& record) {
    Line("log_record");
    const Nest nest(this);
    NumberLine("time_unix_nano", record.time_unix_nano);
    NumberLine("observed_time_unix_nano", record.observed_time_unix_nano);
    EnumLine("severity_number", record.severity_number);
    TextLine("severity_text", record.severity_text);
    TextLine("event_name", record.event_name);
    if (record.body.kind != AnyValue::Kind::kEmpty) {
      Line("body ", ValueText(record.body));
    }
    IdLine("trace_id", record.trace_id);
    IdLine("span_id", record.span_id);
    NumberLine("flags", record.flags);
    NumberLine("dropped_attributes_count", record.dropped_attributes_count);
    AddNodes(record.attributes);
  }

  const LogBatch& batch_;
};

class MetricDumper : SignalDumper {
 public:
  explicit MetricDumper(const MetricBatch& batch) : SignalDumper(batch), batch_(batch) {}

  std::string Run() {
    return SignalDumper::Run(batch_.metrics, [this](const Metric& metric) { Add(metric); });
  }

 private:
  void Add(const Metric& metric) {
    Line("metric ", Quoted(metric.name));
    const Nest nest(this);
    TextLine("description", metric.description);
    TextLine("unit", metric.unit);
    AddNodes(metric.metadata, "metadata");
    EnumLine("temporality", metric.temporality);
    NumberLine("is_monotonic", metric.is_monotonic);
    switch (metric.kind) {
      case MetricKind::kNone:
        break;
      case MetricKind::kGauge:
        return AddPoints("gauge", In(batch_.number_points, metric.points));
      case MetricKind::kSum:
        return AddPoints("sum", In(batch_.number_points, metric.points));
      case MetricKind::kHistogram:
        return AddPoints("histogram", In(batch_.histogram_points, metric.points));
      case MetricKind::kExponentialHistogram:
        return AddPoints("exponential_histogram",
                         In(batch_.exponential_histogram_points, metric.points));
      case MetricKind::kSummary:
        return AddPoints("summary", In(batch_.summary_points, metric.points));
    }
  }

  template <typename T>
  void AddPoints(std::string_view kind, std::span<const T> points) {
    Line(kind);
    const Nest nest(this);
    for (const T& point : points) {
      Line("point");
      const Nest inner_nest(this);
      NumberLine("start_time_unix_nano", point.start_time_unix_nano);
      NumberLine("time_unix_nano", point.time_unix_nano);
      NumberLine("flags", point.flags);
      AddNodes(point.attributes);
      Add(point);
    }
  }

  void Add(const NumberPoint& point) {
    Add(point.value);
    AddExemplars(point.exemplars);
  }
  void Add(const HistogramPoint& point) {
    NumberLine("count", point.count);
    AddRange(point);
    ListLine("bucket_counts", In(batch_.bucket_counts, point.bucket_counts));
    AddBounds(In(batch_.bounds, point.explicit_bounds));
    AddExemplars(point.exemplars);
  }
  void Add(const ExponentialHistogramPoint& point) {
    NumberLine("count", point.count);
    AddRange(point);
    NumberLine("scale", point.scale);
    NumberLine("zero_count", point.zero_count);
    DoubleLine("zero_threshold", point.zero_threshold);
    NumberLine("positive_offset", point.positive.offset);
    ListLine("positive", In(batch_.bucket_counts, point.positive.bucket_counts));
    NumberLine("negative_offset", point.negative.offset);
    ListLine("negative", In(batch_.bucket_counts, point.negative.bucket_counts));
    AddExemplars(point.exemplars);
  }
  void Add(const SummaryPoint& point) {
    NumberLine("count", point.count);
    DoubleLine("sum", point.sum);
    for (const ValueAtQuantile& value : In(batch_.quantile_values, point.quantile_values)) {
      Line("quantile ", DoubleText(value.quantile), " = ", DoubleText(value.value));
    }
  }

  void Add(const NumberValue& value) {
    if (value.kind == NumberValue::Kind::kInt) {
      Line("as_int ", value.as_int);
    } else if (value.kind == NumberValue::Kind::kDouble) {
      Line("as_double ", DoubleText(value.as_double));
    }
  }
  template <typename T>
  void AddRange(const T& point) {
    const auto add = [this](std::string_view name, const std::optional<double>& number) {
      if (number.has_value()) {
        Line(name, " ", DoubleText(*number));
      }
    };
    add("sum", point.sum);
    add("min", point.min);
    add("max", point.max);
  }
  void AddBounds(std::span<const double> bounds) {
    std::string text;
    for (const double bound : bounds) {
      base::StrAppend(&text, " ", DoubleText(bound));
    }
    if (!text.empty()) {
      Line("explicit_bounds", text);
    }
  }
  void AddExemplars(Slice exemplars) {
    for (const Exemplar& exemplar : In(batch_.exemplars, exemplars)) {
      Line("exemplar");
      const Nest nest(this);
      NumberLine("time_unix_nano", exemplar.time_unix_nano);
      Add(exemplar.value);
      IdLine("trace_id", exemplar.trace_id);
      IdLine("span_id", exemplar.span_id);
      AddNodes(exemplar.filtered_attributes);
    }
  }

  const MetricBatch& batch_;
};

}  // namespace

std::string Dump(const TraceBatch& batch) { return TraceDumper(batch).Run(); }
std::string Dump(const LogBatch& batch) { return LogDumper(batch).Run(); }
std::string Dump(const MetricBatch& batch) { return MetricDumper(batch).Run(); }

}  // namespace flarestack::model
