// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/entry_stamp.h"

#include <vector>

namespace flarestack::store::rocks {
namespace {

template <typename Item>
uint64_t NewestOf(const std::vector<Item>& items, uint64_t Item::*time) {
  uint64_t newest = 0;
  for (const Item& item : items)
    newest = std::max(newest, item.*time);
  return newest;
}

template <typename Point>
uint64_t NewestPoint(const std::vector<Point>& points) {
  uint64_t newest = 0;
  for (const Point& point : points)
    newest = std::max(newest, point.time_unix_nano);
  return newest;
}

}  // namespace

uint64_t NewestNanos(const model::Batch& batch) {
  uint64_t newest = NewestOf(batch.profiles, &model::Profile::time_unix_nano);
  for (const uint64_t time : batch.timestamps)
    newest = std::max(newest, time);
  return newest;
}

uint64_t NewestNanos(const model::TraceBatch& batch) {
  return NewestOf(batch.spans, &model::Span::start_time_unix_nano);
}

uint64_t NewestNanos(const model::LogBatch& batch) {
  return NewestOf(batch.log_records, &model::LogRecord::time_unix_nano);
}

uint64_t NewestNanos(const model::MetricBatch& batch) {
  return std::max({NewestPoint(batch.number_points), NewestPoint(batch.histogram_points),
                   NewestPoint(batch.exponential_histogram_points),
                   NewestPoint(batch.summary_points)});
}

}  // namespace flarestack::store::rocks
