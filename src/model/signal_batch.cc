// SPDX-License-Identifier: Apache-2.0
#include "model/signal_batch.h"

#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::model {
namespace {

bool IsValidId(std::string_view id, size_t bytes) {
  return id.size() == bytes && id.find_first_not_of('\0') != std::string_view::npos;
}

}  // namespace

bool IsValidTraceId(std::string_view id) { return IsValidId(id, kTraceIdBytes); }
bool IsValidSpanId(std::string_view id) { return IsValidId(id, kSpanIdBytes); }

void SignalBatch::ClearTree() {
  resources.clear();
  scopes.clear();
  entity_refs.clear();
  entity_keys.clear();
  nodes.clear();
}

void TraceBatch::Clear() {
  ClearTree();
  spans.clear();
  events.clear();
  links.clear();
}

void LogBatch::Clear() {
  ClearTree();
  log_records.clear();
}

void MetricBatch::Clear() {
  ClearTree();
  metrics.clear();
  number_points.clear();
  histogram_points.clear();
  exponential_histogram_points.clear();
  summary_points.clear();
  exemplars.clear();
  bucket_counts.clear();
  bounds.clear();
  quantile_values.clear();
}

uint64_t CountPoints(const MetricBatch& batch) {
  uint64_t count = 0;
  for (const ItemScope& scope : batch.scopes) {
    for (const Metric& metric : In(batch.metrics, scope.items))
      count += metric.points.count;
  }
  return count;
}

}  // namespace flarestack::model
