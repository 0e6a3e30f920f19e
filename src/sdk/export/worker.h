// SPDX-License-Identifier: Apache-2.0
//
// The profiler's thread: reads samples, follows threads and libraries, exports at each interval.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/config.h"
#include "sdk/export/profile_builder.h"
#include "sdk/export/sender.h"

namespace flarestack::sdk {

struct WorkerStats {
  std::atomic<uint64_t> samples = 0;
  std::atomic<uint64_t> lost_samples = 0;
  std::atomic<uint64_t> exports_sent = 0;
  std::atomic<uint64_t> exports_dropped = 0;
};

// The names of labels by index; append-only.
class LabelKeys {
 public:
  // Returns the index of the key; -1 if there are 256 others.
  int Add(std::string_view key);
  std::vector<std::string> Copy() const;
  size_t count() const { return count_.load(std::memory_order_acquire); }
  void ResetAfterFork();

 private:
  mutable pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::vector<std::string>* keys_ = nullptr;  // never freed: threads may use it until exit
  std::atomic<size_t> count_ = 0;
};

class Worker {
 public:
  // With hooks, threads announce themselves, and scanning finds only those from before the start.
  Worker(const Config& config, const LabelKeys& label_keys, bool has_thread_hooks,
         WorkerStats* stats);

  // Runs until RequestEnd(). What was not exported by then is dropped: flush first.
  void Run();
  void RequestEnd();

  // Exports now. Returns once it is done or the time is over; false: it is not done.
  bool Flush(uint64_t timeout_ms);

 private:
  void Drain();
  void Export(bool is_last);
  void Maintain();
  void ReportFailure();
  void AnswerFlush();

  const Config& config_;
  const LabelKeys& shared_keys_;
  std::vector<std::string> label_keys_;
  const bool has_thread_hooks_;
  WorkerStats& stats_;
  ProfileBuilder builder_;
  Sender sender_;
  std::atomic<bool> is_ending_ = false;
  pid_t own_tid_ = 0;
  uint64_t window_begin_ns_ = 0;
  uint64_t next_export_ms_ = 0;
  uint64_t next_scan_ms_ = 0;
  uint64_t scan_count_ = 0;
  std::string reported_failure_;

  pthread_mutex_t flush_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t flush_done_;
  uint64_t flushes_requested_ = 0;
  uint64_t flushes_done_ = 0;
};

}  // namespace flarestack::sdk
