// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/attribute_limits.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "base/text/text.h"

namespace flarestack::pipeline {
namespace {

using model::AnyValue;
using model::KeyValue;
using model::Slice;

// Returns the longest prefix of `text` within `bytes_max` that ends on a character boundary.
std::string_view Cut(std::string_view text, uint64_t bytes_max) {
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end);
}

bool IsText(const AnyValue& value) {
  return value.kind == AnyValue::Kind::kString || value.kind == AnyValue::Kind::kBytes;
}

bool HasNodes(const AnyValue& value) {
  return value.kind == AnyValue::Kind::kArray || value.kind == AnyValue::Kind::kKeyValueList;
}

class Limiter {
 public:
  Limiter(const AttributeLimits& limits, std::vector<KeyValue>* nodes)
      : limits_(limits), nodes_(*nodes) {}

  void LimitCount(Slice* attributes, uint32_t* dropped_count) {
    if (attributes->count <= limits_.count_max)
      return;
    const uint32_t surplus = attributes->count - limits_.count_max;
    attributes->count = limits_.count_max;
    losses_.dropped += surplus;
    if (dropped_count != nullptr)
      *dropped_count += surplus;
  }

  void LimitTree(std::vector<model::Resource>* resources, auto* scopes) {
    for (model::Resource& resource : *resources)
      LimitCount(&resource.attributes, &resource.dropped_attributes_count);
    for (auto& scope : *scopes)
      LimitCount(&scope.attributes, &scope.dropped_attributes_count);
  }

  void LimitCounts(auto* items) {
    for (auto& item : *items)
      LimitCount(&item.attributes, &item.dropped_attributes_count);
  }

  void CutText(AnyValue* value) {
    if (!IsText(*value) || value->text.size() <= limits_.value_bytes_max)
      return;
    value->text = value->kind == AnyValue::Kind::kBytes
                      ? value->text.substr(0, limits_.value_bytes_max)
                      : Cut(value->text, limits_.value_bytes_max);
    ++losses_.cut;
  }

  // The string may also be a function name, so the dictionary entry stays as it is.
  void CutReference(const model::Dictionary& dictionary, AnyValue* value) {
    if (value->kind != AnyValue::Kind::kStringIndex ||
        dictionary.Text(value->string_index).size() <= limits_.value_bytes_max)
      return;
    *value = AnyValue::String(Cut(dictionary.Text(value->string_index), limits_.value_bytes_max));
    ++losses_.cut;
  }

  // For batches whose pool contains only attributes and their nested values.
  void CutPool() {
    for (KeyValue& node : nodes_)
      CutText(&node.value);
  }

  // For batches whose pool contains other values too. The decoder limits how deeply values nest.
  void CutBelow(Slice attributes) {
    for (uint32_t i = attributes.begin; i < attributes.end(); ++i) {
      CutText(&nodes_[i].value);
      if (HasNodes(nodes_[i].value))
        CutBelow(nodes_[i].value.nodes);
    }
  }

  const AttributeLosses& losses() const { return losses_; }

 private:
  const AttributeLimits& limits_;
  std::vector<KeyValue>& nodes_;
  AttributeLosses losses_;
};

bool HasLongValue(const std::vector<KeyValue>& nodes, Slice attributes, uint64_t bytes_max) {
  return std::ranges::any_of(model::In(nodes, attributes), [&](const KeyValue& node) {
    return (IsText(node.value) && node.value.text.size() > bytes_max) ||
           (HasNodes(node.value) && HasLongValue(nodes, node.value.nodes, bytes_max));
  });
}

}  // namespace

std::string AttributeLosses::Explain(const AttributeLimits& limits) const {
  std::string text;
  if (dropped > 0) {
    base::StrAppend(&text, dropped, " attributes dropped: at most ", limits.count_max,
                    " per item are kept");
  }
  if (cut > 0) {
    base::StrAppend(&text, text.empty() ? "" : "; ", cut, " attribute values truncated: at most ",
                    limits.value_bytes_max, " bytes are kept");
  }
  return text;
}

AttributeLosses LimitAttributes(const AttributeLimits& limits, model::Batch* batch) {
  model::Dictionary& dictionary = batch->dictionary;
  Limiter limiter(limits, &dictionary.nodes);
  limiter.LimitTree(&batch->resources, &batch->scopes);
  limiter.LimitCounts(&batch->profiles);
  for (model::Sample& sample : batch->samples)
    limiter.LimitCount(&sample.attributes, nullptr);
  for (model::Mapping& mapping : dictionary.mappings)
    limiter.LimitCount(&mapping.attributes, nullptr);
  for (model::Location& location : dictionary.locations)
    limiter.LimitCount(&location.attributes, nullptr);
  limiter.CutPool();
  for (KeyValue& node : dictionary.nodes)
    limiter.CutReference(dictionary, &node.value);
  for (model::Attribute& attribute : dictionary.attributes) {
    limiter.CutText(&attribute.value);
    limiter.CutReference(dictionary, &attribute.value);
  }
  return limiter.losses();
}

AttributeLosses LimitAttributes(const AttributeLimits& limits, model::TraceBatch* batch) {
  Limiter limiter(limits, &batch->nodes);
  limiter.LimitTree(&batch->resources, &batch->scopes);
  limiter.LimitCounts(&batch->spans);
  limiter.LimitCounts(&batch->events);
  limiter.LimitCounts(&batch->links);
  limiter.CutPool();
  return limiter.losses();
}

AttributeLosses LimitAttributes(const AttributeLimits& limits, model::LogBatch* batch) {
  Limiter limiter(limits, &batch->nodes);
  limiter.LimitTree(&batch->resources, &batch->scopes);
  limiter.LimitCounts(&batch->log_records);
  // Log bodies share the pool with attributes and are not limited.
  for (const model::Resource& resource : batch->resources)
    limiter.CutBelow(resource.attributes);
  for (const model::ItemScope& scope : batch->scopes)
    limiter.CutBelow(scope.attributes);
  for (const model::LogRecord& record : batch->log_records)
    limiter.CutBelow(record.attributes);
  return limiter.losses();
}

AttributeLosses LimitAttributes(const AttributeLimits& limits, model::MetricBatch* batch) {
  Limiter limiter(limits, &batch->nodes);
  limiter.LimitTree(&batch->resources, &batch->scopes);
  for (const model::Resource& resource : batch->resources)
    limiter.CutBelow(resource.attributes);
  for (const model::ItemScope& scope : batch->scopes)
    limiter.CutBelow(scope.attributes);
  for (model::Metric& metric : batch->metrics) {
    limiter.LimitCount(&metric.metadata, nullptr);
    limiter.CutBelow(metric.metadata);
  }
  for (model::Exemplar& exemplar : batch->exemplars) {
    limiter.LimitCount(&exemplar.filtered_attributes, nullptr);
    limiter.CutBelow(exemplar.filtered_attributes);
  }
  return limiter.losses();
}

std::vector<model::RejectedPoint> FindPointsBeyond(const AttributeLimits& limits,
                                                   const model::MetricBatch& batch) {
  std::vector<model::RejectedPoint> beyond;
  const auto visit = [&](uint32_t metric, uint32_t point, Slice attributes) {
    if (attributes.count > limits.count_max)
      beyond.push_back({metric, point, model::ItemFault::kTooManyAttributes});
    else if (HasLongValue(batch.nodes, attributes, limits.value_bytes_max))
      beyond.push_back({metric, point, model::ItemFault::kAttributeTooLong});
  };
  for (const model::ItemScope& scope : batch.scopes) {
    for (uint32_t metric = scope.items.begin; metric < scope.items.end(); ++metric) {
      const Slice points = batch.metrics[metric].points;
      const auto visit_all = [&](const auto& pool) {
        for (uint32_t point = points.begin; point < points.end(); ++point)
          visit(metric, point, pool[point].attributes);
      };
      switch (batch.metrics[metric].kind) {
        case model::MetricKind::kNone:
          break;
        case model::MetricKind::kGauge:
        case model::MetricKind::kSum:
          visit_all(batch.number_points);
          break;
        case model::MetricKind::kHistogram:
          visit_all(batch.histogram_points);
          break;
        case model::MetricKind::kExponentialHistogram:
          visit_all(batch.exponential_histogram_points);
          break;
        case model::MetricKind::kSummary:
          visit_all(batch.summary_points);
          break;
      }
    }
  }
  return beyond;
}

}  // namespace flarestack::pipeline
