// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/prepare_items.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/warnings.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "model/validation/profile_sift.h"
#include "model/validation/validate.h"

namespace flarestack::pipeline {
namespace {

model::Slice WithOriginal(model::Slice old, uint64_t time, std::vector<model::KeyValue>* nodes) {
  const model::Slice longer = {.begin = static_cast<uint32_t>(nodes->size()),
                               .count = old.count + 1};
  nodes->reserve(nodes->size() + longer.count);
  for (uint32_t i = old.begin; i < old.end(); ++i)
    nodes->push_back((*nodes)[i]);
  nodes->push_back({.key = model::kOriginalTimeKey,
                    .key_index = {},
                    .value = model::AnyValue::Int(static_cast<int64_t>(time))});
  return longer;
}

template <typename T>
std::vector<T> Without(const std::vector<T>& items, model::Slice* slice,
                       const std::vector<bool>& is_bad, std::vector<T> kept) {
  const auto begin = static_cast<uint32_t>(kept.size());
  for (uint32_t i = slice->begin; i < slice->end(); ++i) {
    if (!is_bad[i])
      kept.push_back(items[i]);
  }
  *slice = {.begin = begin, .count = static_cast<uint32_t>(kept.size()) - begin};
  return kept;
}

// Visits the pool of each point type.
template <typename Visit>
void ForEachPool(model::MetricBatch& batch, Visit visit) {
  visit(batch.number_points, [](model::MetricKind kind) {
    return kind == model::MetricKind::kGauge || kind == model::MetricKind::kSum;
  });
  visit(batch.histogram_points,
        [](model::MetricKind kind) { return kind == model::MetricKind::kHistogram; });
  visit(batch.exponential_histogram_points,
        [](model::MetricKind kind) { return kind == model::MetricKind::kExponentialHistogram; });
  visit(batch.summary_points,
        [](model::MetricKind kind) { return kind == model::MetricKind::kSummary; });
}

}  // namespace

void DropSpans(std::span<const model::RejectedSpan> bad, model::TraceBatch* batch) {
  if (bad.empty())
    return;
  std::vector<bool> is_bad(batch->spans.size());
  for (const model::RejectedSpan& span : bad)
    is_bad[span.span] = true;
  std::vector<model::Span> kept;
  for (model::ItemScope& scope : batch->scopes)
    kept = Without(batch->spans, &scope.items, is_bad, std::move(kept));
  batch->spans = std::move(kept);
}

void DropPoints(std::span<const model::RejectedPoint> bad, model::MetricBatch* batch) {
  if (bad.empty())
    return;
  ForEachPool(*batch, [&](auto& pool, auto is_of_pool) {
    std::vector<bool> is_bad(pool.size());
    for (const model::RejectedPoint& point : bad) {
      if (is_of_pool(batch->metrics[point.metric].kind))
        is_bad[point.point] = true;
    }
    std::remove_reference_t<decltype(pool)> kept;
    for (model::Metric& metric : batch->metrics) {
      if (is_of_pool(metric.kind))
        kept = Without(pool, &metric.points, is_bad, std::move(kept));
    }
    pool = std::move(kept);
  });
}

uint64_t RestampSpans(model::TraceBatch* batch, uint64_t now) {
  uint64_t count = 0;
  for (model::Span& span : batch->spans) {
    if (!model::IsAbsurdTime(span.start_time_unix_nano, now))
      continue;
    span.attributes = WithOriginal(span.attributes, span.start_time_unix_nano, &batch->nodes);
    span.end_time_unix_nano = now + (span.end_time_unix_nano - span.start_time_unix_nano);
    span.start_time_unix_nano = now;
    ++count;
  }
  return count;
}

uint64_t RestampLogs(model::LogBatch* batch, uint64_t now) {
  uint64_t count = 0;
  for (model::LogRecord& record : batch->log_records) {
    // Fills in no other field: a record that is sent again must be identical.
    if (record.time_unix_nano == 0)
      record.time_unix_nano =
          record.observed_time_unix_nano != 0 ? record.observed_time_unix_nano : now;
    if (!model::IsAbsurdTime(record.time_unix_nano, now))
      continue;
    record.attributes = WithOriginal(record.attributes, record.time_unix_nano, &batch->nodes);
    record.time_unix_nano = now;
    ++count;
  }
  return count;
}

uint64_t RestampPoints(model::MetricBatch* batch, uint64_t now) {
  uint64_t count = 0;
  ForEachPool(*batch, [&](auto& pool, auto /*is_of_pool*/) {
    for (auto& point : pool) {
      if (!model::IsAbsurdTime(point.time_unix_nano, now))
        continue;
      point.time_unix_nano = now + count;  // keeps points of a series distinct
      ++count;
    }
  });
  return count;
}

PreparedProfiles PrepareProfiles(const AttributeLimits& limits, uint64_t now_nanos,
                                 model::Batch* batch) {
  PreparedProfiles prepared;
  base::Warnings ignored;
  codec::otlp::EnsureReservedEntries(&batch->dictionary);
  prepared.sifted = model::SiftProfiles(batch);
  model::RepairText(batch, &ignored);
  prepared.losses = LimitAttributes(limits, batch);
  prepared.restamped = model::RestampAbsurdTimes(batch, now_nanos);
  return prepared;
}

}  // namespace flarestack::pipeline
