// SPDX-License-Identifier: Apache-2.0
//
// Records this host continuously and forwards a batch every few seconds. One thread records and
// must never block; another symbolizes frames and forwards batches, which may take longer.
//
//   Recorder --> queue of batches --> names --> output
//
// A batch waits up to five seconds for the symbol tables of its new modules.
//
//   FLARE_ASSIGN(auto agent, Agent::Start(options, [&](NamedBatch batch) { ... }));
//   agent->Stop();     // forwards the rest
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/event_log.h"
#include "base/mutex.h"
#include "record/agent/governor.h"
#include "record/agent/host_symbols.h"
#include "record/agent/recorder.h"
#include "record/code/recorded_files.h"

namespace flarestack::record::agent {

struct AgentOptions {
  RecorderOptions recorder;
  std::shared_ptr<HostSymbols> symbols;  // null: native frames keep their addresses
  std::chrono::milliseconds interval{5000};
  double cpu_share_max = 0.01;    // share of all CPUs; above it, less is recorded
  base::EventLog* log = nullptr;  // for what users can do something about; may be null
};

struct AgentStats {
  RecorderStats recorder;
  uint64_t batches = 0;
  uint64_t failed_batches = 0;  // not recorded, or not taken by the output
  uint64_t dropped_batches = 0;
  uint64_t named_frames = 0;
  uint64_t unnamed_frames = 0;
  GovernorState governor;
};

struct NamedBatch {
  model::Batch batch;
  bool has_all_names = true;  // false: symbol tables of its modules are still being built
};

class Agent {
 public:
  // While it blocks, batches queue up; above a limit they are dropped and counted. Failures are
  // counted.
  using Output = std::function<absl::Status(NamedBatch batch)>;

  static absl::StatusOr<std::unique_ptr<Agent>> Start(const AgentOptions& options, Output output);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Stops recording and forwards the remaining batches.
  void Stop();

  AgentStats stats() const;

 private:
  struct Taken {
    model::Batch batch;
    std::vector<RecordedFile> files;
    uint64_t bytes = 0;  // estimated size of the batch
    std::chrono::steady_clock::time_point taken_at;
  };

  Agent(const AgentOptions& options, Output output);
  void Record();
  void TakeBatch();
  void LogProblems(const RecorderStats& stats);
  void ForwardBatches();
  void ForwardBatch(Taken taken);
  bool AwaitNames(const Taken& taken);
  bool IsQueueFilling() const;

  const AgentOptions options_;
  const Output output_;
  std::unique_ptr<Recorder> recorder_;  // used by the recording thread alone, once it runs
  Governor governor_;                   // likewise
  absl::flat_hash_set<std::string> problems_logged_;  // likewise
  std::atomic<bool> is_stopping_{false};
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<Taken> queue_ FLARE_GUARDED_BY(mutex_);
  uint64_t queue_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_recorded_ FLARE_GUARDED_BY(mutex_) = false;  // no more batches will come
  std::chrono::nanoseconds forwarding_cpu_ FLARE_GUARDED_BY(mutex_) = std::chrono::nanoseconds(0);
  AgentStats stats_ FLARE_GUARDED_BY(mutex_);
  std::thread recording_;
  std::thread forwarding_;
};

}  // namespace flarestack::record::agent
