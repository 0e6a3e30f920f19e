// SPDX-License-Identifier: Apache-2.0
//
// Sends the agent's own metrics as OTLP at a fixed interval, from a dedicated thread. The metrics
// are cumulative, so the next request makes up for a failed one: nothing is spooled and nothing is
// retried.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "record/agent/agent_metrics.h"
#include "record/export/otlp_target.h"

namespace flarestack::record::agent {

// Sends an ExportMetricsServiceRequest in protobuf within that time. Returns false if the output
// will never accept one.
using MetricsOutput =
    std::function<bool(const std::string& request, std::chrono::milliseconds timeout_max)>;

// Sends to an OTLP server; `target` is the target of metrics. Failures go to `log`, which is
// borrowed. Returns kInvalidArgument for malformed certificates. Does not wait for the server.
absl::StatusOr<MetricsOutput> MetricsOverOtlp(exporting::OtlpTarget target, base::EventLog* log);

struct MetricsSenderOptions {
  std::chrono::milliseconds interval{30'000};
  std::function<std::vector<AgentMetric>()> read;
  MetricsOutput output;
};

class MetricsSender {
 public:
  explicit MetricsSender(MetricsSenderOptions options);
  // Calls Stop if it has not been called.
  ~MetricsSender();
  MetricsSender(const MetricsSender&) = delete;
  MetricsSender& operator=(const MetricsSender&) = delete;

  // Sends once more and stops. Waits at most a second for a server that does not respond.
  void Stop();

 private:
  void Run();
  bool WaitForStop();  // for one interval; returns true if Stop was called

  const MetricsSenderOptions options_;
  const uint64_t start_unix_ns_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool is_stopping_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace flarestack::record::agent
