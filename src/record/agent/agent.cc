// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/protobuf_writer.h"

namespace flarestack::record::agent {
namespace {

constexpr std::chrono::milliseconds kStep{500};  // upper bound on the delay of Stop
constexpr uint64_t kQueueBytesMax = 16 << 20;
// How long a batch waits for symbols, counted from when it was taken.
constexpr std::chrono::seconds kNamesWaitMax{5};
constexpr std::chrono::milliseconds kNamesStep{100};

std::chrono::nanoseconds ToDuration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// Excludes symbol tables: other threads build them, once per file.
std::chrono::nanoseconds UsedByThisThread() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return ToDuration(usage.ru_utime) + ToDuration(usage.ru_stime);
}

std::chrono::nanoseconds UsedByPrograms(const RecorderStats& stats) {
  uint64_t run_ns = 0;
  for (const ProgramCost& cost : stats.costs)
    run_ns += cost.run_ns;
  return std::chrono::nanoseconds(run_ns);
}

// A batch consists of many small allocations made by two threads in turn. Without this, the
// allocator retains several times the size of one batch.
void ReturnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

Agent::Agent(const AgentOptions& options, Output output)
    : options_(options),
      output_(std::move(output)),
      governor_(options.cpu_share_max, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))) {}

absl::StatusOr<std::unique_ptr<Agent>> Agent::Start(const AgentOptions& options, Output output) {
  auto agent = std::unique_ptr<Agent>(new Agent(options, std::move(output)));
  FLARE_ASSIGN(agent->recorder_, Recorder::Create(options.recorder));
  // If this fails, the budget does not include the cost of the BPF programs; recording still works.
  agent->recorder_->EnableCosts().IgnoreError();
  FLARE_RETURN_IF_ERROR(agent->recorder_->Begin());
  agent->recording_ = std::thread([agent = agent.get()] { agent->Record(); });
  agent->forwarding_ = std::thread([agent = agent.get()] { agent->ForwardBatches(); });
  return agent;
}

Agent::~Agent() { Stop(); }

void Agent::Stop() {
  is_stopping_ = true;
  if (recording_.joinable())
    recording_.join();
  if (forwarding_.joinable())
    forwarding_.join();
}

AgentStats Agent::stats() const {
  const base::MutexLock lock(mutex_);
  return stats_;
}

void Agent::Record() {
  auto next = std::chrono::steady_clock::now() + options_.interval;
  while (!is_stopping_) {
    recorder_->Step(kStep);
    const auto now = std::chrono::steady_clock::now();
    if (now < next && !recorder_->is_filling())
      continue;
    next = std::max(next, now) + options_.interval;
    TakeBatch();
  }
  recorder_->End();
  TakeBatch();
  const base::MutexLock lock(mutex_);
  is_recorded_ = true;
  changed_.NotifyAll();
}

void Agent::TakeBatch() {
  std::vector<RecordedFile> files;
  if (options_.symbols != nullptr)
    files = recorder_->OpenFiles();  // before Take releases some of them
  auto batch = recorder_->Take();
  const RecorderStats recorder_stats = recorder_->stats();
  LogProblems(recorder_stats);
  const uint64_t bytes = batch.ok() ? codec::otlp::EstimateProtobufBytes(*batch) : 0;
  const base::MutexLock lock(mutex_);
  if (governor_.Update(UsedByThisThread() + forwarding_cpu_ + UsedByPrograms(recorder_stats),
                       std::chrono::steady_clock::now()))
    recorder_->SetBudget(governor_.state().wait_unit_ns, governor_.state().stack_copies_max);
  stats_.recorder = recorder_stats;
  stats_.governor = governor_.state();
  if (!batch.ok()) {
    ++stats_.failed_batches;
  } else if (!queue_.empty() && queue_bytes_ + bytes > kQueueBytesMax) {
    ++stats_.dropped_batches;
  } else if (!batch->samples.empty()) {
    queue_bytes_ += bytes;
    queue_.push_back({.batch = *std::move(batch),
                      .files = std::move(files),
                      .bytes = bytes,
                      .taken_at = std::chrono::steady_clock::now()});
    changed_.NotifyAll();
  }
}

// Each once: a problem stays until a program is upgraded.
void Agent::LogProblems(const RecorderStats& stats) {
  for (const std::string& problem : stats.runtime_problems) {
    if (options_.log != nullptr && problems_logged_.insert(problem).second)
      options_.log->Write(base::LogLevel::kWarn, "runtime.unsupported", {{"reason", problem}});
  }
}

void Agent::ForwardBatches() {
  for (;;) {
    base::MutexLock lock(mutex_);
    while (queue_.empty() && !is_recorded_)
      changed_.Wait(mutex_);
    if (queue_.empty())
      return;
    Taken taken = std::move(queue_.front());
    queue_.pop_front();
    queue_bytes_ -= taken.bytes;
    lock.Unlock();
    ForwardBatch(std::move(taken));
  }
}

bool Agent::IsQueueFilling() const {
  const base::MutexLock lock(mutex_);
  return queue_bytes_ > kQueueBytesMax / 2;
}

// Returns true if the search for all symbol tables has ended. Gives up early when batches pile up.
bool Agent::AwaitNames(const Taken& taken) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::string> keys = options_.symbols->Want(taken.files, taken.batch);
  const Clock::time_point deadline = taken.taken_at + kNamesWaitMax;
  for (;;) {
    const Clock::time_point now = Clock::now();
    const bool is_over = now >= deadline || IsQueueFilling();
    if (options_.symbols->Await(keys, is_over ? now : std::min(deadline, now + kNamesStep)))
      return true;
    if (is_over)
      return false;
  }
}

void Agent::ForwardBatch(Taken taken) {
  NamedBatch named;
  if (options_.symbols != nullptr) {
    named.has_all_names = AwaitNames(taken);
    options_.symbols->Name(&taken.batch);
  }
  named.batch = std::move(taken.batch);
  taken = {};
  const absl::Status status = output_(std::move(named));
  ReturnFreeMemory();
  const base::MutexLock lock(mutex_);
  ++stats_.batches;
  if (!status.ok())
    ++stats_.failed_batches;
  forwarding_cpu_ = UsedByThisThread();
  if (options_.symbols != nullptr) {
    stats_.named_frames = options_.symbols->named_count();
    stats_.unnamed_frames = options_.symbols->unnamed_count();
  }
}

}  // namespace flarestack::record::agent
