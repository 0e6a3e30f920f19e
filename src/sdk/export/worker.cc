// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/worker.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "sdk/cpu/cpu_timers.h"
#include "sdk/sample/sample_ring_signal.h"
#include "sdk/thread_state.h"
#include "sdk/unwind/modules.h"

namespace flarestack::sdk {
namespace {

constexpr uint64_t kWaitNs = 200'000'000;
constexpr uint64_t kScanIntervalMs = 100;
constexpr uint64_t kScanIntervalWithHooksMs = 1'000;
constexpr uint64_t kScansPerReuseCheck = 20;
constexpr size_t kLabelKeysMax = 256;

uint64_t NowNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t MonotonicMs() { return NowNs(CLOCK_MONOTONIC) / 1'000'000; }

}  // namespace

int LabelKeys::Add(std::string_view key) {
  pthread_mutex_lock(&mutex_);
  if (keys_ == nullptr)
    keys_ = new std::vector<std::string>;
  const auto known = std::ranges::find(*keys_, key);
  auto index = static_cast<int>(known - keys_->begin());
  if (known == keys_->end()) {
    if (keys_->size() < kLabelKeysMax)
      keys_->emplace_back(key);
    else
      index = -1;
  }
  count_.store(keys_->size(), std::memory_order_release);
  pthread_mutex_unlock(&mutex_);
  return index;
}

std::vector<std::string> LabelKeys::Copy() const {
  pthread_mutex_lock(&mutex_);
  auto copy = keys_ == nullptr ? std::vector<std::string>{} : *keys_;
  pthread_mutex_unlock(&mutex_);
  return copy;
}

void LabelKeys::ResetAfterFork() { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

Worker::Worker(const Config& config, const LabelKeys& label_keys, bool has_thread_hooks,
               WorkerStats* stats)
    : config_(config),
      shared_keys_(label_keys),
      has_thread_hooks_(has_thread_hooks),
      stats_(*stats),
      builder_(config, label_keys_),
      sender_(config, [this] { Drain(); }),
      window_begin_ns_(NowNs(CLOCK_REALTIME)),
      next_export_ms_(MonotonicMs() + config.export_interval_ms) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&flush_done_, &attributes);
  pthread_condattr_destroy(&attributes);
  builder_.UseModules(CurrentModules());
}

void Worker::RequestEnd() {
  is_ending_.store(true, std::memory_order_release);
  WakeReader();
}

void Worker::Run() {
  own_tid_ = ThreadId();
  if (!sender_.error().empty())
    dprintf(STDERR_FILENO, "flarestack: %s\n", sender_.error().c_str());
  while (!is_ending_.load(std::memory_order_acquire)) {
    Maintain();
    WaitForSamples(kWaitNs);
    Drain();
    if (MonotonicMs() >= next_export_ms_ || builder_.IsLarge())
      Export(/*is_last=*/false);
    else
      sender_.Send(/*is_last=*/false);
    ReportFailure();
    AnswerFlush();
  }
}

void Worker::Maintain() {
  if (RefreshModules())
    builder_.UseModules(CurrentModules());
  const uint64_t now = MonotonicMs();
  if (config_.types.cpu && now >= next_scan_ms_) {
    ScanThreads(own_tid_, /*checks_reuse=*/scan_count_++ % kScansPerReuseCheck == 0);
    next_scan_ms_ = now + (has_thread_hooks_ ? kScanIntervalWithHooksMs : kScanIntervalMs);
  }
}

void Worker::Drain() {
  if (label_keys_.size() != shared_keys_.count())
    label_keys_ = shared_keys_.Copy();
  while (const auto sample = PeekSample()) {
    builder_.Add(*sample);
    PopSample();
    stats_.samples.fetch_add(1, std::memory_order_relaxed);
  }
  for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kAllocation}) {
    if (const uint64_t lost = TakeLosses(kind); lost > 0) {
      builder_.AddLosses(lost);
      stats_.lost_samples.fetch_add(lost, std::memory_order_relaxed);
    }
  }
}

void Worker::Export(bool is_last) {
  const uint64_t now = NowNs(CLOCK_REALTIME);
  sender_.Add(builder_.Finish(window_begin_ns_, std::max(now, window_begin_ns_ + 1)));
  window_begin_ns_ = now;
  next_export_ms_ = MonotonicMs() + config_.export_interval_ms;
  sender_.Send(is_last);
  stats_.exports_sent.store(sender_.stats().sent, std::memory_order_relaxed);
  stats_.exports_dropped.store(sender_.stats().dropped, std::memory_order_relaxed);
}

// Once for each kind of failure: a program's log is not ours.
void Worker::ReportFailure() {
  if (sender_.last_failure() == reported_failure_)
    return;
  reported_failure_ = sender_.last_failure();
  dprintf(STDERR_FILENO, "flarestack: profiles are not delivered: %s\n", reported_failure_.c_str());
}

void Worker::AnswerFlush() {
  pthread_mutex_lock(&flush_mutex_);
  const uint64_t requested = flushes_requested_;
  const bool is_due = requested != flushes_done_;
  pthread_mutex_unlock(&flush_mutex_);
  if (!is_due)
    return;
  Drain();
  Export(/*is_last=*/true);
  ReportFailure();
  pthread_mutex_lock(&flush_mutex_);
  flushes_done_ = requested;
  pthread_cond_broadcast(&flush_done_);
  pthread_mutex_unlock(&flush_mutex_);
}

bool Worker::Flush(uint64_t timeout_ms) {
  const uint64_t deadline_ns = NowNs(CLOCK_MONOTONIC) + timeout_ms * 1'000'000;
  const timespec deadline = {.tv_sec = static_cast<time_t>(deadline_ns / 1'000'000'000),
                             .tv_nsec = static_cast<long>(deadline_ns % 1'000'000'000)};
  pthread_mutex_lock(&flush_mutex_);
  const uint64_t own = ++flushes_requested_;
  WakeReader();
  int failure = 0;
  while (flushes_done_ < own && failure == 0)
    failure = pthread_cond_timedwait(&flush_done_, &flush_mutex_, &deadline);
  const bool is_done = flushes_done_ >= own;
  pthread_mutex_unlock(&flush_mutex_);
  return is_done;
}

}  // namespace flarestack::sdk
