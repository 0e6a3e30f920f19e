// SPDX-License-Identifier: Apache-2.0
#include "demo/signals.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "demo/incident.h"
#include "model/validation/validate.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kEnd = 1'772'366'400'000'000'000;  // 2026-03-01T12:00:00Z
constexpr uint64_t kWindow = 156;                     // both instances have the new version

class SignalsTest : public ::testing::Test {
 protected:
  Timeline timeline_{{.seed = 1, .end_nanos = kEnd}};
  Window window_ = timeline_.Make(kWindow);

  std::map<std::string, const Span*> SpansById() const {
    std::map<std::string, const Span*> spans;
    for (const Request& request : window_.requests) {
      for (const Span& span : request.spans)
        spans[span.span_id] = &span;
    }
    return spans;
  }
};

TEST_F(SignalsTest, SameStoryGivesTheSameBytes) {
  const Timeline again({.seed = 1, .end_nanos = kEnd});
  const Timeline other({.seed = 2, .end_nanos = kEnd});
  const auto first = MessagesOf(timeline_, window_);
  const auto second = MessagesOf(again, again.Make(kWindow));
  const auto third = MessagesOf(other, other.Make(kWindow));
  ASSERT_EQ(first.size(), 4u);
  ASSERT_EQ(second.size(), 4u);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].bytes, second[i].bytes);
    EXPECT_NE(first[i].bytes, third[i].bytes);
  }
}

TEST_F(SignalsTest, SendsAllSpansWithTheirParents) {
  const model::TraceBatch batch = TracesOf(window_);
  size_t spans = 0;
  for (const Request& request : window_.requests)
    spans += request.spans.size();
  EXPECT_EQ(batch.spans.size(), spans);
  std::set<std::string_view> ids;
  for (const model::Span& span : batch.spans)
    ids.insert(span.span_id);
  size_t roots = 0;
  for (const model::Span& span : batch.spans) {
    roots += span.parent_span_id.empty() ? 1 : 0;
    EXPECT_TRUE(span.parent_span_id.empty() || ids.contains(span.parent_span_id));
  }
  EXPECT_EQ(roots, window_.requests.size());
}

// The sum of the samples of one type, by span id.
std::map<std::string, int64_t> SumsBySpan(const model::Batch& batch, std::string_view type) {
  std::map<std::string, int64_t> sums;
  for (const model::Profile& profile : batch.profiles) {
    if (batch.dictionary.Text(profile.sample_type.type) != type)
      continue;
    for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
      if (sample.link)
        sums[std::string(batch.dictionary.links[sample.link.value].span_id)] +=
            model::Weight(batch, sample);
    }
  }
  return sums;
}

TEST_F(SignalsTest, SamplesOfASpanAddUpToItsSelfTime) {
  const model::Batch batch = ProfilesOf(timeline_, window_);
  ASSERT_TRUE(model::ValidateIndices(batch).ok());
  std::map<std::string, int64_t> cpu = SumsBySpan(batch, "cpu");
  std::map<std::string, int64_t> waits = SumsBySpan(batch, "off_cpu");
  for (const auto& [id, span] : SpansById()) {
    uint64_t running = 0;
    uint64_t own = 0;
    for (const Stretch& stretch : span->stretches) {
      own += stretch.duration_nanos;
      running += stretch.is_wait() ? 0 : stretch.duration_nanos;
    }
    EXPECT_EQ(static_cast<uint64_t>(cpu[id]), running) << span->name;
    EXPECT_EQ(static_cast<uint64_t>(cpu[id] + waits[id]), own) << span->name;
    EXPECT_LE(own, span->duration_nanos());
  }
}

TEST_F(SignalsTest, SamplesAreWithinTheirProfileAndHaveAFileAndLine) {
  const model::Batch batch = ProfilesOf(timeline_, window_);
  std::set<std::string_view> types;
  for (const model::Profile& profile : batch.profiles) {
    types.insert(batch.dictionary.Text(profile.sample_type.type));
    for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
      EXPECT_EQ(sample.values.count, sample.timestamps.count);
      for (const uint64_t time : model::In(batch.timestamps, sample.timestamps)) {
        EXPECT_GE(time, profile.time_unix_nano);
        EXPECT_LT(time, profile.time_unix_nano + profile.duration_nano);
      }
    }
  }
  EXPECT_EQ(types, (std::set<std::string_view>{"cpu", "off_cpu", "inuse_space", "inuse_objects",
                                               "alloc_space"}));
  for (size_t i = 1; i < batch.dictionary.lines.size(); ++i) {
    const model::Line& line = batch.dictionary.lines[i];
    EXPECT_GT(line.line, 0);
    EXPECT_TRUE(batch.dictionary.functions[line.function.value].filename);
  }
}

TEST_F(SignalsTest, PointsCountRequestsAndExemplarsReferenceThem) {
  const model::MetricBatch batch = MetricsOf(timeline_, window_);
  uint64_t served = 0;
  for (const auto& [id, span] : SpansById())
    served += span->kind == model::SpanKind::kServer ? 1 : 0;
  uint64_t counted = 0;
  for (const model::HistogramPoint& point : batch.histogram_points) {
    counted += point.count;
    uint64_t in_buckets = 0;
    for (const uint64_t count : model::In(batch.bucket_counts, point.bucket_counts))
      in_buckets += count;
    EXPECT_EQ(in_buckets, point.count);
    EXPECT_GE(point.exemplars.count, 1u);
  }
  EXPECT_EQ(counted, served);
  int64_t requests = 0;
  for (const model::Metric& metric : batch.metrics) {
    if (metric.name != "http.server.requests")
      continue;
    for (const model::NumberPoint& point : model::In(batch.number_points, metric.points))
      requests += point.value.as_int;
  }
  EXPECT_EQ(static_cast<uint64_t>(requests), served);
  const auto spans = SpansById();
  for (const model::Exemplar& exemplar : batch.exemplars) {
    const auto span = spans.find(std::string(exemplar.span_id));
    ASSERT_NE(span, spans.end());
    EXPECT_DOUBLE_EQ(exemplar.value.as_double,
                     static_cast<double>(span->second->duration_nanos()) * 1e-9);
  }
}

TEST_F(SignalsTest, LogsReferenceSpansAndTheReleaseLogsItsRule) {
  const auto spans = SpansById();
  for (const model::LogRecord& record : LogsOf(window_).log_records)
    EXPECT_TRUE(spans.contains(std::string(record.span_id)));
  const model::LogBatch release = LogsOf(timeline_.Make(kRolloutWindows[0]));
  size_t found = 0;
  for (const model::LogRecord& record : release.log_records)
    found += record.body.text.starts_with("coupon rule loaded") ? 1 : 0;
  EXPECT_EQ(found, 1u);
}

TEST_F(SignalsTest, IncidentIsAnExemplarAndHasAWarning) {
  const Incident incident = FindIncident(timeline_);
  const uint64_t index = (incident.start_nanos - timeline_.begin_nanos()) / kWindowNanos;
  const Window window = timeline_.Make(index);
  size_t exemplars = 0;
  const model::MetricBatch metrics = MetricsOf(timeline_, window);
  for (const model::Exemplar& exemplar : metrics.exemplars)
    exemplars += exemplar.span_id == incident.server_span_id ? 1 : 0;
  EXPECT_EQ(exemplars, 1u);
  const model::LogBatch logs = LogsOf(window);
  size_t warnings = 0;
  for (const model::LogRecord& record : logs.log_records)
    warnings += record.span_id == incident.coupons_span_id ? 1 : 0;
  EXPECT_EQ(warnings, 1u);
}

}  // namespace
}  // namespace flarestack::demo
