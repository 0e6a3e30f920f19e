// SPDX-License-Identifier: Apache-2.0
#include "record/export/exporter.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"

namespace flarestack::record::exporting {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Exporter::Exporter(ExporterOptions options) : options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<Exporter>> Exporter::Start(ExporterOptions options) {
  if (options.target.protocol == OtlpProtocol::kHttpJson)
    return absl::InvalidArgumentError(
        "http/json is not supported for recorded profiles; use grpc or http/protobuf");
  std::unique_ptr<Exporter> exporter(new Exporter(std::move(options)));
  FLARE_ASSIGN(exporter->client_, OtlpClient::Create(exporter->options_.target));
  FLARE_ASSIGN(exporter->spool_, Spool::Open(exporter->options_.spool));
  exporter->thread_ = std::thread([raw = exporter.get()] { raw->Run(); });
  return exporter;
}

Exporter::~Exporter() { Stop(milliseconds(0)); }

bool Exporter::Offer(std::string request, Content content) {
  const bool is_taken = spool_->Push(std::move(request), content);
  const base::MutexLock lock(mutex_);
  ++stats_.offered;
  has_work_ = has_work_ || is_taken;
  changed_.NotifyAll();
  return is_taken;
}

void Exporter::Stop(milliseconds grace) {
  {
    const base::MutexLock lock(mutex_);
    if (!stop_at_.has_value())
      stop_at_ = Clock::now() + grace;
    changed_.NotifyAll();
  }
  if (thread_.joinable())
    thread_.join();
  // Null if Start() failed.
  if (spool_ != nullptr)
    spool_->Close();
}

ExporterStats Exporter::stats() const {
  ExporterStats stats;
  {
    const base::MutexLock lock(mutex_);
    stats = stats_;
  }
  stats.spool = spool_->stats();
  return stats;
}

bool Exporter::IsStopping() const {
  const base::MutexLock lock(mutex_);
  return stop_at_.has_value();
}

void Exporter::Run() {
  while (true) {
    {
      const base::MutexLock lock(mutex_);
      while (!has_work_ && !stop_at_.has_value())
        changed_.Wait(mutex_);
      has_work_ = false;
      if (stop_at_.has_value())
        break;
    }
    SendWhileRunning();
  }
  SendTheRest();
}

void Exporter::SendWhileRunning() {
  int failures = 0;
  while (!IsStopping()) {
    // Look it up each time: the spool may have dropped the oldest request during the wait.
    std::optional<Spool::Entry> entry = spool_->Front();
    if (!entry.has_value())
      return;
    entry->request = Complete(*entry);
    const OtlpAttempt attempt = client_->Try(*entry->request);
    if (!IsRetryable(attempt)) {
      failures = 0;
      Acknowledge(*entry, attempt);
    } else if (!Wait(NoteRetry(attempt, failures++))) {
      return;
    }
  }
}

void Exporter::SendTheRest() {
  while (true) {
    milliseconds left{0};
    {
      const base::MutexLock lock(mutex_);
      left = std::chrono::ceil<milliseconds>(*stop_at_ - Clock::now());
    }
    if (left <= milliseconds(0))
      return;
    std::optional<Spool::Entry> entry = spool_->Front();
    if (!entry.has_value())
      return;
    entry->request = Complete(*entry);
    const OtlpAttempt attempt = client_->Try(*entry->request, left);
    if (IsRetryable(attempt)) {
      NoteRetry(attempt, 0);
      return;
    }
    Acknowledge(*entry, attempt);
  }
}

std::shared_ptr<const std::string> Exporter::Complete(const Spool::Entry& entry) const {
  if (options_.complete == nullptr || entry.content == Content::kFinal)
    return entry.request;
  std::optional<std::string> improved = options_.complete(*entry.request);
  // OTLP limits the size of a request.
  if (!improved.has_value() || improved->size() > options_.spool.request_bytes_max)
    return entry.request;
  return std::make_shared<const std::string>(*std::move(improved));
}

bool Exporter::IsRetryable(const OtlpAttempt& attempt) const {
  // An untrusted certificate will be fixed eventually, and until then there is no response.
  // With gRPC, this code comes from the server itself.
  const bool is_untrusted = options_.target.protocol != OtlpProtocol::kGrpc &&
                            absl::IsUnauthenticated(attempt.result.status());
  return attempt.may_retry || is_untrusted;
}

milliseconds Exporter::NoteRetry(const OtlpAttempt& attempt, int failures) {
  const std::string why(base::Message(attempt.result.status()));
  {
    const base::MutexLock lock(mutex_);
    ++stats_.retries;
    stats_.last_error = why;
  }
  if (options_.log != nullptr)
    options_.log->Write(base::LogLevel::kWarn, "export.retry",
                        {{"endpoint", options_.target.endpoint}, {"reason", why}});
  const milliseconds requested =
      std::min(attempt.delay.value_or(milliseconds(0)), options_.delay_max);
  return requested + BackOff(failures, options_.back_off);
}

void Exporter::Acknowledge(const Spool::Entry& entry, const OtlpAttempt& attempt) {
  spool_->Remove(entry.sequence);
  const std::string why(attempt.result.ok() ? attempt.result->error_message
                                            : std::string(base::Message(attempt.result.status())));
  const bool is_rejected = !attempt.result.ok();
  {
    const base::MutexLock lock(mutex_);
    stats_.last_error = why;
    if (is_rejected) {
      ++stats_.rejected;
    } else {
      ++stats_.sent;
      stats_.sent_bytes += entry.request->size();
      const int64_t rejected = std::max<int64_t>(attempt.result->rejected, 0);
      stats_.partial += rejected > 0 ? 1 : 0;
      stats_.rejected_profiles += static_cast<uint64_t>(rejected);
    }
  }
  if (options_.log != nullptr && !why.empty())
    options_.log->Write(is_rejected ? base::LogLevel::kError : base::LogLevel::kWarn,
                        is_rejected ? "export.refused" : "export.partial",
                        {{"endpoint", options_.target.endpoint}, {"reason", why}});
}

bool Exporter::Wait(milliseconds delay) {
  if (options_.wait != nullptr)
    return options_.wait(delay);
  const Clock::time_point deadline = Clock::now() + delay;
  const base::MutexLock lock(mutex_);
  while (!stop_at_.has_value() && changed_.WaitUntil(mutex_, deadline)) {
  }
  return !stop_at_.has_value();
}

}  // namespace flarestack::record::exporting
