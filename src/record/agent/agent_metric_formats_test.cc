// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent_metric_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/otlp/signals/metrics_protobuf.h"

namespace flarestack::record::agent {
namespace {

using ::testing::HasSubstr;

const std::vector<AgentMetric> kMetrics = {
    {.name = "samples",
     .help = "Samples.",
     .unit = "{sample}",
     .is_counter = true,
     .points = {{.value = 12345678}}},
    {.name = "cpu_share", .help = "Cost.", .unit = "1", .points = {{.value = 0.0025}}},
    {.name = "truncated",
     .help = "Left.",
     .unit = "{stack}",
     .is_counter = true,
     .label = "reason",
     .points = {{.value = 1, .label_value = "no rule"}, {.value = 0, .label_value = "too deep"}}},
};

TEST(AgentMetricFormats, WritePrometheusText) {
  EXPECT_EQ(ToPrometheusText(kMetrics),
            "# HELP flarestack_agent_samples_total Samples.\n"
            "# TYPE flarestack_agent_samples_total counter\n"
            "flarestack_agent_samples_total 12345678\n"
            "# HELP flarestack_agent_cpu_share Cost.\n"
            "# TYPE flarestack_agent_cpu_share gauge\n"
            "flarestack_agent_cpu_share 0.0025\n"
            "# HELP flarestack_agent_truncated_total Left.\n"
            "# TYPE flarestack_agent_truncated_total counter\n"
            "flarestack_agent_truncated_total{reason=\"no rule\"} 1\n"
            "flarestack_agent_truncated_total{reason=\"too deep\"} 0\n");
}

TEST(AgentMetricFormats, WriteReadableOtlp) {
  const std::vector<TextAttribute> resource = {
      {.key = "service.name", .value = "flarestack-agent"}};
  const std::string request = ToOtlpRequest(kMetrics, resource, 1'000, 2'000);
  model::MetricBatch batch;
  ASSERT_TRUE(codec::otlp::DecodeMetrics(request, {}, &batch).ok());
  ASSERT_EQ(batch.metrics.size(), 3u);
  EXPECT_EQ(batch.metrics[0].name, "flarestack.agent.samples");
  EXPECT_EQ(batch.metrics[0].kind, model::MetricKind::kSum);
  EXPECT_TRUE(batch.metrics[0].is_monotonic);
  EXPECT_EQ(batch.metrics[0].temporality, model::Temporality::kCumulative);
  EXPECT_EQ(batch.metrics[1].kind, model::MetricKind::kGauge);
  ASSERT_EQ(batch.number_points.size(), 4u);
  EXPECT_EQ(batch.number_points[0].start_time_unix_nano, 1'000u);
  EXPECT_EQ(batch.number_points[0].time_unix_nano, 2'000u);
  EXPECT_EQ(batch.number_points[0].value.as_double, 12345678);
  EXPECT_EQ(batch.number_points[1].start_time_unix_nano, 0u);
  const model::KeyValue& label = batch.nodes[batch.number_points[3].attributes.begin];
  EXPECT_EQ(label.key, "reason");
  EXPECT_EQ(label.value.text, "too deep");
  const model::KeyValue& service = batch.nodes[batch.resources[0].attributes.begin];
  EXPECT_EQ(service.value.text, "flarestack-agent");
}

TEST(AgentMetrics, ReportEachCauseOfLoss) {
  AgentStats agent;
  agent.recorder.lost = 7;
  agent.dropped_batches = 3;
  agent.failed_batches = 2;
  const std::string text = ToPrometheusText(AgentMetrics(agent, nullptr));
  EXPECT_THAT(text, HasSubstr("flarestack_agent_samples_lost_total 7\n"));
  EXPECT_THAT(text, HasSubstr("flarestack_agent_batches_dropped_total 3\n"));
  EXPECT_THAT(text, HasSubstr("flarestack_agent_batches_failed_total 2\n"));
  EXPECT_THAT(text, HasSubstr("flarestack_agent_truncated_total{reason=\""));
}

}  // namespace
}  // namespace flarestack::record::agent
