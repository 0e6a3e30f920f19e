// SPDX-License-Identifier: Apache-2.0
//
// The conformance tests for traces, logs and metrics. Messages are OTLP/JSON, and results are
// compared as text (model/dump/signal_dump.h).
#pragma once

#include <set>

#include "codec/otlp/signals/signals_json.h"
#include "model/dump/signal_dump.h"
#include "model/signal.h"
#include "store/testing/conformance.h"

namespace flarestack::store::testing {

class SignalConformance : public StoreConformance {
 protected:
  static std::string At(uint64_t offset) { return base::StrCat("\"", kStart + offset, "\""); }

  static std::string Resource(std::string_view service) {
    return base::StrCat(
        R"("resource":{"attributes":[{"key":"service.name","value":{"stringValue":")", service,
        R"("}}]})");
  }

  static std::string Span(std::string_view trace_digit, int span, std::string_view name,
                          uint64_t start, uint64_t duration, std::string_view more = "") {
    std::string trace_id;
    for (int i = 0; i < 32; ++i)
      trace_id += trace_digit;
    return base::StrCat(R"({"traceId":")", trace_id, R"(","spanId":"000000000000000)", span,
                        R"(","name":")", name, R"(","startTimeUnixNano":)", At(start),
                        R"(,"endTimeUnixNano":)", At(start + duration), R"(,"kind":2,"flags":257)",
                        more, "}");
  }

  void AppendTraces(const std::string& service, const std::vector<std::string>& spans) {
    std::string list;
    for (const std::string& span : spans)
      base::StrAppend(&list, list.empty() ? "" : ",", span);
    const std::string json =
        base::StrCat(R"({"resourceSpans":[{)", Resource(service),
                     R"(,"scopeSpans":[{"scope":{"name":"lib"},"spans":[)", list, "]}]}]}");
    model::TraceBatch batch;
    base::Warnings warnings;
    ASSERT_TRUE(codec::otlp::DecodeTracesJson(json, {}, &batch, &warnings).ok());
    ASSERT_TRUE(store_->AppendTraces(batch).ok());
  }

  void AppendLog(const std::string& service, const std::string& records) {
    const std::string json = base::StrCat(R"({"resourceLogs":[{)", Resource(service),
                                          R"(,"scopeLogs":[{"logRecords":[)", records, "]}]}]}");
    model::LogBatch batch;
    base::Warnings warnings;
    ASSERT_TRUE(codec::otlp::DecodeLogsJson(json, {}, &batch, &warnings).ok());
    ASSERT_TRUE(store_->AppendLogs(batch).ok());
  }

  void AppendGauge(const std::string& service, const std::string& points) {
    const std::string json =
        base::StrCat(R"({"resourceMetrics":[{)", Resource(service),
                     R"(,"scopeMetrics":[{"metrics":[{"name":"heat","gauge":{"dataPoints":[)",
                     points, "]}}]}]}]}");
    model::MetricBatch batch;
    base::Warnings warnings;
    ASSERT_TRUE(codec::otlp::DecodeMetricsJson(json, {}, &batch, &warnings).ok());
    ASSERT_TRUE(store_->AppendMetrics(batch).ok());
  }

  static std::string Log(uint64_t time, std::string_view body) {
    return base::StrCat(R"({"timeUnixNano":)", At(time), R"(,"body":{"stringValue":")", body,
                        "\"}}");
  }
  std::string Bodies(const LogQuery& query) {
    const auto batch = store_->SelectLogs(query);
    EXPECT_TRUE(batch.ok()) << batch.status();
    std::string text;
    for (const model::LogRecord& record : batch->log_records)
      base::StrAppend(&text, record.body.text, " ");
    return text;
  }

  std::string SpanNames(const SpanQuery& query) {
    const auto batch = store_->SelectSpans(query);
    EXPECT_TRUE(batch.ok()) << batch.status();
    std::string names;
    for (const model::Span& span : batch->spans)
      base::StrAppend(&names, span.name, " ");
    return names;
  }
};

TEST_P(SignalConformance, FindsATraceByItsId) {
  AppendTraces("cart", {Span("a", 1, "GET /", 0, 100), Span("a", 2, "SELECT", 10, 50)});
  AppendTraces("shop", {Span("b", 3, "other", 0, 1)});
  AppendTraces("pay", {Span("a", 4, "charge", 20, 5)});
  Reopen();
  const auto trace = store_->SelectTrace({.trace_id = std::string(16, '\xaa')});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->spans.size(), 3u);
  EXPECT_EQ(trace->resources.size(), 2u);
  const std::string dump = model::Dump(*trace);
  EXPECT_THAT(dump, ::testing::HasSubstr("charge"));
  EXPECT_THAT(dump, ::testing::HasSubstr("cart"));
  EXPECT_THAT(dump, ::testing::HasSubstr("lib"));
  EXPECT_TRUE(store_->SelectTrace({.trace_id = std::string(16, '\xcc')})->spans.empty());
}

TEST_P(SignalConformance, StoresADuplicateSpanOnce) {
  AppendTraces("cart", {Span("a", 1, "GET /", 0, 100)});
  AppendTraces("cart", {Span("a", 1, "GET /", 0, 100)});
  EXPECT_EQ(store_->SelectTrace({.trace_id = std::string(16, '\xaa')})->spans.size(), 1u);
  EXPECT_EQ(SpanNames({}), "GET / ");
}

TEST_P(SignalConformance, SearchesSpans) {
  AppendTraces("cart", {Span("a", 1, "fast", 0, 10), Span("a", 2, "slow", 5, 1000)});
  AppendTraces("shop", {Span("b", 3, "slow", kHour, 2000)});
  EXPECT_EQ(SpanNames({.name = "slow"}), "slow slow ");
  EXPECT_EQ(SpanNames({.duration_min_nanos = 11}), "slow slow ");
  EXPECT_EQ(SpanNames({.duration_max_nanos = 10}), "fast ");
  EXPECT_EQ(SpanNames({.matchers = *ParseSelector(R"({service.name="cart"})")}), "fast slow ");
  EXPECT_EQ(SpanNames({.range = {.from = kStart + kHour}}), "slow ");
  EXPECT_EQ(SpanNames({.limit = 1}), "fast ");
}

TEST_P(SignalConformance, SearchesSpansByPatternStatusAndAttribute) {
  AppendTraces("cart", {Span("a", 1, "GET /a", 0, 10, R"(,"status":{"code":2})"),
                        Span("a", 2, "GET /b", 1, 10,
                             R"(,"attributes":[{"key":"http.status","value":{"intValue":"500"}}])"),
                        Span("a", 3, "PUT /a", 2, 10)});
  EXPECT_EQ(SpanNames({.name_pattern = *base::Pattern::Make("^GET")}), "GET /a GET /b ");
  EXPECT_EQ(SpanNames({.status = model::SpanStatusCode::kError}), "GET /a ");
  EXPECT_EQ(SpanNames({.status = model::SpanStatusCode::kUnset}), "GET /b PUT /a ");
  EXPECT_EQ(SpanNames({.attributes = *ParseSelector(R"({http.status="500"})")}), "GET /b ");
  EXPECT_EQ(SpanNames({.attributes = *ParseSelector(R"({http.status="200"})")}), "");
}

TEST_P(SignalConformance, ReturnsSpansInEitherOrderByPage) {
  AppendTraces("cart", {Span("a", 1, "a", 5, 1), Span("a", 2, "b", 7, 1)});
  AppendTraces("shop", {Span("a", 3, "c", 6, 1), Span("a", 4, "d", 2 * kHour, 1)});
  const auto pages = [&](TimeOrder order) {
    SpanQuery query = {.limit = 1, .order = order};
    std::string names;
    do {
      const auto page = store_->SelectSpans(query);
      EXPECT_TRUE(page.ok());
      for (const model::Span& span : page->spans)
        names += span.name;
      query.after = page->next;
    } while (!query.after.empty());
    return names;
  };
  EXPECT_EQ(pages(TimeOrder::kOldestFirst), "acbd");
  EXPECT_EQ(pages(TimeOrder::kNewestFirst), "dbca");
  EXPECT_EQ(SpanNames({.limit = 2, .order = TimeOrder::kNewestFirst}), "b d ");
  EXPECT_TRUE(absl::IsInvalidArgument(store_->SelectSpans({.after = "x"}).status()));
}

// Many records have the same time: no page repeats or loses one, at any page size.
TEST_P(SignalConformance, PagesThroughLogsOfOneTime) {
  std::string of_cart;
  for (int i = 0; i < 5; ++i)
    base::StrAppend(&of_cart, of_cart.empty() ? "" : ",", Log(7, base::StrCat("r", i)));
  AppendLog("cart", of_cart);
  AppendLog("shop", Log(7, "r5") + "," + Log(3 * kHour, "r6") + "," + Log(1, "r7"));
  for (const TimeOrder order : {TimeOrder::kOldestFirst, TimeOrder::kNewestFirst}) {
    for (const size_t limit : {1, 2, 3, 7, 8, 9}) {
      LogQuery query = {.limit = limit, .order = order};
      std::vector<std::string> bodies;
      size_t page_count = 0;
      do {
        const auto page = store_->SelectLogs(query);
        ASSERT_TRUE(page.ok());
        for (const model::LogRecord& record : page->log_records)
          bodies.emplace_back(record.body.text);
        query.after = page->next;
        ++page_count;
      } while (!query.after.empty());
      EXPECT_EQ(page_count, (8 + limit - 1) / limit);
      EXPECT_EQ(bodies.size(), 8u);
      EXPECT_EQ(std::set<std::string>(bodies.begin(), bodies.end()).size(), 8u);
    }
  }
  EXPECT_EQ(Bodies({.limit = 1, .order = TimeOrder::kNewestFirst}), "r6 ");
  EXPECT_EQ(Bodies({.limit = 1}), "r7 ");
  EXPECT_TRUE(absl::IsInvalidArgument(store_->SelectLogs({.after = "x"}).status()));
}

TEST_P(SignalConformance, FindsLogsByTheirText) {
  AppendLog("cart", Log(1, "disk full") + "," + Log(2, "disk ok") + "," + Log(3, "net down"));
  EXPECT_EQ(Bodies({.body_part = "disk"}), "disk full disk ok ");
  EXPECT_EQ(Bodies({.body_pattern = *base::Pattern::Make("full|down")}), "disk full net down ");
  EXPECT_EQ(Bodies({.body_part = "DISK"}), "");
}

TEST_P(SignalConformance, FindsLogsByTimeServiceSeverityAndSpan) {
  const std::string bound = base::StrCat(
      R"({"timeUnixNano":)", At(5), R"(,"severityNumber":17,"body":{"stringValue":"bad"},)",
      R"("traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","spanId":"0000000000000001"})");
  AppendLog("cart", bound);
  AppendLog("cart", bound);  // resent
  AppendLog("shop", base::StrCat(R"({"timeUnixNano":)", At(kHour),
                                 R"(,"severityNumber":9,"body":{"stringValue":"fine"}})"));
  EXPECT_EQ(Bodies({}), "bad fine ");
  EXPECT_EQ(Bodies({.severity_min = 17}), "bad ");
  EXPECT_EQ(Bodies({.trace_id = std::string(16, '\xaa')}), "bad ");
  EXPECT_EQ(Bodies({.trace_id = std::string(16, '\xaa'), .span_id = std::string(8, '\x09')}), "");
  EXPECT_EQ(Bodies({.matchers = *ParseSelector(R"({service.name="shop"})")}), "fine ");
  EXPECT_EQ(Bodies({.range = {.from = kStart + 6}}), "fine ");
}

TEST_P(SignalConformance, DropsOldSpans) {
  AppendTraces("cart", {Span("a", 1, "old", 0, 10), Span("a", 2, "new", 3 * kHour, 10)});
  EXPECT_EQ(store_->Stats()->oldest_nanos, kStart);
  ASSERT_TRUE(store_->DropBefore(SignalTimes::All(kStart + 2 * kHour)).ok());
  EXPECT_EQ(SpanNames({}), "new ");
  EXPECT_EQ(store_->SelectTrace({.trace_id = std::string(16, '\xaa')})->spans.size(), 1u);
}

// Each signal has a separate retention. Shared entries stay for the signal that is kept longest.
TEST_P(SignalConformance, DropsEachSignalByItsRetention) {
  const auto append_all = [&](uint64_t offset, int number) {
    Append({{.time = kStart + offset, .lines = {base::StrCat("main;f", number, " 1")}}});
    AppendTraces("cart", {Span("a", number, base::StrCat("span", number), offset, 10)});
    AppendLog("cart", base::StrCat(R"({"timeUnixNano":)", At(offset),
                                   R"(,"body":{"stringValue":"log)", number, "\"}}"));
    AppendGauge("cart",
                base::StrCat(R"({"timeUnixNano":)", At(offset), R"(,"asInt":")", number, "\"}"));
  };
  append_all(0, 1);
  append_all(5 * kHour, 2);
  append_all(10 * kHour, 3);
  const auto kept = [&] {
    const auto logs = store_->SelectLogs({});
    const auto points = store_->SelectMetrics({});
    EXPECT_TRUE(logs.ok() && points.ok());
    return base::StrCat(Folded({}), SpanNames({}), logs->log_records.size(), " logs ",
                        points->number_points.size(), " points ",
                        store_->SelectTrace({.trace_id = std::string(16, '\xaa')})->spans.size(),
                        " of a");
  };
  EXPECT_EQ(kept(), "main;f1 1\nmain;f2 1\nmain;f3 1\nspan1 span2 span3 3 logs 3 points 3 of a");
  SignalTimes oldest;  // metrics are kept forever
  oldest[model::Signal::kProfiles] = kStart + 4 * kHour;
  oldest[model::Signal::kTraces] = kStart + 9 * kHour;
  oldest[model::Signal::kLogs] = kStart + 20 * kHour;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(store_->DropBefore(oldest).ok());
    EXPECT_EQ(kept(), "main;f2 1\nmain;f3 1\nspan3 0 logs 3 points 1 of a");
    const auto stats = store_->Stats();
    EXPECT_EQ(stats->oldest[model::Signal::kProfiles], kStart + 5 * kHour);
    EXPECT_EQ(stats->oldest[model::Signal::kTraces], kStart + 10 * kHour);
    EXPECT_EQ(stats->oldest[model::Signal::kLogs], 0u);
    EXPECT_EQ(stats->oldest[model::Signal::kMetrics], kStart);
    EXPECT_EQ(stats->oldest_nanos, kStart);
  }
  ASSERT_TRUE(store_->DropBefore({}).ok());  // no times: drops nothing
  EXPECT_EQ(kept(), "main;f2 1\nmain;f3 1\nspan3 0 logs 3 points 1 of a");
  Reopen();
  ASSERT_TRUE(store_->DropBefore(oldest).ok());
  EXPECT_EQ(kept(), "main;f2 1\nmain;f3 1\nspan3 0 logs 3 points 1 of a");
  // Late data that is too old is dropped as well.
  append_all(kHour, 4);
  ASSERT_TRUE(store_->DropBefore(oldest).ok());
  EXPECT_EQ(kept(), "main;f2 1\nmain;f3 1\nspan3 0 logs 4 points 1 of a");
}

TEST_P(SignalConformance, ReturnsMetrics) {
  const std::string json = base::StrCat(
      R"({"resourceMetrics":[{)", Resource("cart"), R"(,"scopeMetrics":[{"metrics":[)",
      R"({"name":"requests","unit":"1","sum":{"aggregationTemporality":2,"isMonotonic":true,)",
      R"("dataPoints":[{"timeUnixNano":)", At(1),
      R"(,"asInt":"5","attributes":[{"key":"code","value":{"stringValue":"200"}}],)",
      R"("exemplars":[{"timeUnixNano":)", At(1),
      R"(,"asInt":"1","traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","spanId":"0000000000000001"}]},)",
      R"({"timeUnixNano":)", At(1),
      R"(,"asInt":"2","attributes":[{"key":"code","value":{"stringValue":"500"}}]},)",
      R"({"timeUnixNano":)", At(kHour),
      R"(,"asInt":"9","attributes":[{"key":"code","value":{"stringValue":"200"}}]}]}},)",
      R"({"name":"latency","unit":"s","histogram":{"aggregationTemporality":1,"dataPoints":[)",
      R"({"timeUnixNano":)", At(2),
      R"(,"count":"3","sum":1.5,"bucketCounts":["1","2"],"explicitBounds":[0.5]}]}}]}]}]})");
  model::MetricBatch batch;
  base::Warnings warnings;
  ASSERT_TRUE(codec::otlp::DecodeMetricsJson(json, {}, &batch, &warnings).ok());
  ASSERT_TRUE(store_->AppendMetrics(batch).ok());
  ASSERT_TRUE(store_->AppendMetrics(batch).ok());  // resent
  Reopen();
  const auto count = [&](const MetricQuery& query) {
    const auto selected = store_->SelectMetrics(query);
    EXPECT_TRUE(selected.ok()) << selected.status();
    return model::CountPoints(*selected);
  };
  EXPECT_EQ(count({}), 4u);
  EXPECT_EQ(count({.name = "requests"}), 3u);
  EXPECT_EQ(count({.name = "request"}), 0u);
  EXPECT_EQ(count({.name = "requests", .matchers = *ParseSelector(R"({code="200"})")}), 2u);
  EXPECT_EQ(count({.matchers = *ParseSelector(R"({service.name="shop"})")}), 0u);
  EXPECT_EQ(count({.range = {.from = kStart + 2, .to = kStart + 3}}), 1u);
  const std::string dump = model::Dump(*store_->SelectMetrics({.name = "latency"}));
  EXPECT_THAT(dump, ::testing::HasSubstr("0.5"));
  const auto requests = store_->SelectMetrics({.name = "requests"});
  EXPECT_EQ(requests->exemplars.size(), 1u);
  const auto list = [&](const MetricQuery& query) {
    const auto listed = store_->ListMetrics(query);
    EXPECT_TRUE(listed.ok()) << listed.status();
    std::string text;
    for (const MetricSeries& series : *listed) {
      base::StrAppend(&text, series.name, ":", series.unit, " ");
      for (const auto& [key, value] : series.resource_attributes)
        base::StrAppend(&text, key, "=", value, " ");
      for (const auto& [key, value] : series.point_attributes)
        base::StrAppend(&text, key, "=", value, " ");
    }
    return text;
  };
  EXPECT_EQ(list({}),
            "latency:s service.name=cart requests:1 service.name=cart code=200 "
            "requests:1 service.name=cart code=500 ");
  EXPECT_EQ(list({.name = "latency"}), "latency:s service.name=cart ");
  EXPECT_EQ(list({.matchers = *ParseSelector(R"({code="500"})")}),
            "requests:1 service.name=cart code=500 ");
  EXPECT_EQ(list({.limit = 1}), "latency:s service.name=cart ");
}

TEST_P(SignalConformance, ReadsPointsWithinTheMemoryLimit) {
  std::string points;
  for (int i = 0; i < 3000; ++i) {
    base::StrAppend(&points, i == 0 ? "" : ",", R"({"timeUnixNano":)", At(i), R"(,"asInt":"1"})");
  }
  AppendGauge("cart", points);
  uint64_t requested_bytes = 0;
  MetricQuery query = {.name = "heat"};
  query.try_reserve = [&](uint64_t bytes) { return (requested_bytes = bytes) < 1'000'000'000; };
  EXPECT_EQ(model::CountPoints(*store_->SelectMetrics(query)), 3000u);
  EXPECT_GT(requested_bytes, 2000u * sizeof(model::NumberPoint));
  query.try_reserve = [&](uint64_t bytes) { return bytes < requested_bytes; };
  EXPECT_TRUE(absl::IsResourceExhausted(store_->SelectMetrics(query).status()));
}

TEST_P(SignalConformance, CancelledReadReturnsAPartialResult) {
  constexpr int kItems = 2000;
  std::string logs;
  std::string points;
  for (int i = 0; i < kItems; ++i) {
    const char* comma = i == 0 ? "" : ",";
    base::StrAppend(&logs, comma, Log(static_cast<uint64_t>(i), base::StrCat("log ", i)));
    base::StrAppend(&points, comma, R"({"timeUnixNano":)", At(static_cast<uint64_t>(i)),
                    R"(,"asInt":"1"})");
  }
  AppendLog("cart", logs);
  AppendGauge("cart", points);
  std::vector<std::string> spans;
  for (int i = 0; i < kItems; ++i) {
    spans.push_back(base::StrCat(R"({"traceId":")", std::string(32, 'a'), R"(","spanId":")",
                                 1'000'000'000'000'000 + i, R"(","name":"s","startTimeUnixNano":)",
                                 At(static_cast<uint64_t>(i)), R"(,"endTimeUnixNano":)",
                                 At(static_cast<uint64_t>(i) + 1), "}"));
  }
  AppendTraces("cart", spans);

  uint64_t rows = 0;
  const auto on_progress = [&](const ReadProgress& progress) {
    EXPECT_GT(progress.rows, rows);
    rows = progress.rows;
    return false;
  };
  const auto expect_part = [&](size_t items) {
    EXPECT_LT(rows, static_cast<uint64_t>(kItems));
    EXPECT_GT(items, 0u);
    EXPECT_LE(items, rows);
    rows = 0;
  };
  for (const TimeOrder order : {TimeOrder::kOldestFirst, TimeOrder::kNewestFirst}) {
    const auto found =
        store_->SelectLogs({.limit = 100, .order = order, .on_progress = on_progress});
    expect_part(found->log_records.size());
    EXPECT_EQ(found->next, "");  // the stopped scan may have missed items before the cursor
    const auto found_spans =
        store_->SelectSpans({.limit = 100, .order = order, .on_progress = on_progress});
    expect_part(found_spans->spans.size());
    EXPECT_EQ(found_spans->next, "");
  }
  const std::string trace_id(16, '\xaa');
  expect_part(
      store_->SelectTrace({.trace_id = trace_id, .on_progress = on_progress})->spans.size());
  expect_part(model::CountPoints(*store_->SelectMetrics({.on_progress = on_progress})));
  EXPECT_EQ(store_->SelectTrace({.trace_id = trace_id})->spans.size(), size_t{kItems});
}

TEST_P(SignalConformance, ReadsItemsWithinTheMemoryLimit) {
  const std::string large(10'000, 'x');
  std::string logs;
  std::vector<std::string> spans;
  for (int i = 0; i < 9; ++i) {
    base::StrAppend(&logs, i == 0 ? "" : ",", Log(static_cast<uint64_t>(i), large));
    spans.push_back(Span("a", i + 1, large, static_cast<uint64_t>(i), 1));
  }
  AppendLog("cart", logs);
  AppendTraces("cart", spans);
  uint64_t requested_bytes = 0;
  const auto ask = [&](uint64_t bytes) { return (requested_bytes = bytes) < 1'000'000'000; };
  const auto deny = [&](uint64_t bytes) { return bytes < requested_bytes; };
  const std::string trace_id(16, '\xaa');
  EXPECT_EQ(store_->SelectLogs({.try_reserve = ask})->log_records.size(), 9u);
  EXPECT_GT(requested_bytes, 9 * large.size());
  EXPECT_TRUE(absl::IsResourceExhausted(store_->SelectLogs({.try_reserve = deny}).status()));
  EXPECT_EQ(store_->SelectSpans({.try_reserve = ask})->spans.size(), 9u);
  EXPECT_GT(requested_bytes, 9 * large.size());
  EXPECT_TRUE(absl::IsResourceExhausted(store_->SelectSpans({.try_reserve = deny}).status()));
  EXPECT_EQ(store_->SelectTrace({.trace_id = trace_id, .try_reserve = ask})->spans.size(), 9u);
  EXPECT_GT(requested_bytes, 9 * large.size());
  EXPECT_TRUE(absl::IsResourceExhausted(
      store_->SelectTrace({.trace_id = trace_id, .try_reserve = deny}).status()));
}

// The order of a point's attributes does not matter: it belongs to the same series, so it is the
// same point.
TEST_P(SignalConformance, IdentifiesAMetricSeriesByItsAttributesInAnyOrder) {
  const auto append = [&](std::string_view first, std::string_view second) {
    const std::string json = base::StrCat(
        R"({"resourceMetrics":[{)", Resource("cart"), R"(,"scopeMetrics":[{"metrics":[)",
        R"({"name":"load","gauge":{"dataPoints":[{"timeUnixNano":)", At(1),
        R"(,"asInt":"5","attributes":[{"key":")", first,
        R"(","value":{"stringValue":"x"}},{"key":")", second,
        R"(","value":{"stringValue":"x"}}]}]}}]}]}]})");
    model::MetricBatch batch;
    base::Warnings warnings;
    ASSERT_TRUE(codec::otlp::DecodeMetricsJson(json, {}, &batch, &warnings).ok());
    ASSERT_TRUE(store_->AppendMetrics(batch).ok());
  };
  append("a", "b");
  append("b", "a");
  EXPECT_EQ(model::CountPoints(*store_->SelectMetrics({})), 1u);
}

}  // namespace flarestack::store::testing
