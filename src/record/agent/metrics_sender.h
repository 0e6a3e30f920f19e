// SPDX-License-Identifier: Apache-2.0
//
// Hands on the agent's own metrics as OTLP, once in a while, from a thread of its own.
// They count from the beginning on, so what one request fails to bring the next one does: nothing
// is kept and nothing is repeated.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "record/agent/agent_metrics.h"
#include "record/export/otlp_target.h"

namespace flarestack::record::agent {

// Takes an ExportMetricsServiceRequest in protobuf within that time. False when it will never take
// one.
using MetricsOutput =
    std::function<bool(const std::string& request, std::chrono::milliseconds timeout_max)>;

// To a server, of which `target` is that of metrics; failures go to the log, which is borrowed.
// kInvalidArgument for certificates that are none. Does not wait for the server.
absl::StatusOr<MetricsOutput> MetricsOverOtlp(exporting::OtlpTarget target, base::EventLog* log);

struct MetricsSenderOptions {
  std::chrono::milliseconds interval{30'000};
  std::function<std::vector<AgentMetric>()> read;
  MetricsOutput output;
};

class MetricsSender {
 public:
  explicit MetricsSender(MetricsSenderOptions options);
  // Stops, if that was not done.
  ~MetricsSender();
  MetricsSender(const MetricsSender&) = delete;
  MetricsSender& operator=(const MetricsSender&) = delete;

  // Sends once more and ends; a server that does not answer is not waited for longer than a second.
  void Stop();

 private:
  void Run();

  const MetricsSenderOptions options_;
  const uint64_t start_unix_ns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace flarestack::record::agent
