// SPDX-License-Identifier: Apache-2.0
#include "record/agent/metrics_sender.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "record/agent/agent_metric_formats.h"
#include "record/export/otlp_client.h"
#include "record/process/process_resource.h"

namespace flarestack::record::agent {
namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr std::chrono::seconds kLastTimeout{1};

uint64_t UnixNanoseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

std::vector<TextAttribute> OwnResource() {
  std::vector<TextAttribute> attributes = HostAttributes();
  attributes.push_back({.key = "service.name", .value = "flarestack-agent"});
  attributes.push_back({.key = "service.instance.id", .value = std::to_string(getpid())});
  return attributes;
}

}  // namespace

absl::StatusOr<MetricsOutput> MetricsOverOtlp(exporting::OtlpTarget target, base::EventLog* log) {
  FLARE_ASSIGN(std::shared_ptr<exporting::OtlpClient> client,
               exporting::OtlpClient::Create(std::move(target)));
  return [client, log](const std::string& request, std::chrono::milliseconds timeout_max) {
    const exporting::OtlpAttempt attempt = client->Try(request, timeout_max);
    if (attempt.result.ok())
      return true;
    log->Write(base::LogLevel::kWarn, attempt.may_retry ? "metrics.not_sent" : "metrics.refused",
               {{"endpoint", client->target().endpoint},
                {"reason", base::Message(attempt.result.status())}});
    return attempt.may_retry;
  };
}

MetricsSender::MetricsSender(MetricsSenderOptions options)
    : options_(std::move(options)), start_unix_ns_(UnixNanoseconds()), thread_([this] { Run(); }) {}

MetricsSender::~MetricsSender() { Stop(); }

void MetricsSender::Stop() {
  {
    const base::MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable())
    thread_.join();
}

bool MetricsSender::WaitForStop() {
  const auto deadline = std::chrono::steady_clock::now() + options_.interval;
  const base::MutexLock lock(mutex_);
  while (!is_stopping_ && changed_.WaitUntil(mutex_, deadline)) {
  }
  return is_stopping_;
}

void MetricsSender::Run() {
  for (;;) {
    const bool is_last = WaitForStop();
    const std::string request =
        ToOtlpRequest(options_.read(), OwnResource(), start_unix_ns_, UnixNanoseconds());
    if (!options_.output(request, is_last ? kLastTimeout : kTimeout) || is_last)
      return;
  }
}

}  // namespace flarestack::record::agent
