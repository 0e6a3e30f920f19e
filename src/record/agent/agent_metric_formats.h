// SPDX-License-Identifier: Apache-2.0
//
// The agent's own metrics, for /metrics in the text format of Prometheus and for a server as OTLP:
//
//   flarestack_agent_sent_bytes_total 4711      flarestack.agent.sent_bytes, unit By, a monotonic
//   sum
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "record/agent/agent_metrics.h"
#include "record/process/service/otel_variables.h"

namespace flarestack::record::agent {

std::string ToPrometheusText(std::span<const AgentMetric> metrics);

// Returns an ExportMetricsServiceRequest in protobuf. Counters start at `start_unix_ns`.
std::string ToOtlpRequest(std::span<const AgentMetric> metrics,
                          std::span<const TextAttribute> resource, uint64_t start_unix_ns,
                          uint64_t now_unix_ns);

}  // namespace flarestack::record::agent
