// SPDX-License-Identifier: Apache-2.0
#include "record/agent/agent.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "base/status.h"
#include "base/text.h"
#include "codec/otlp/protobuf_writer.h"

namespace flarestack::record::agent {
namespace {

constexpr std::chrono::milliseconds kStep{250};

std::chrono::nanoseconds ToDuration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// What this thread has used; symbols are looked up by others, once for each file.
std::chrono::nanoseconds UsedByUs() {
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

}  // namespace

Agent::Agent(const AgentOptions& options, Output output)
    : options_(options),
      output_(std::move(output)),
      governor_(options.cpu_share_max, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))) {}

absl::StatusOr<std::unique_ptr<Agent>> Agent::Start(const AgentOptions& options, Output output) {
  auto agent = std::unique_ptr<Agent>(new Agent(options, std::move(output)));
  FLARE_ASSIGN(agent->recorder_, Recorder::Create(options.recorder));
  // Without this, the cost of the kernel's side is not in the budget, and recording still works.
  agent->recorder_->EnableCosts().IgnoreError();
  if (options.names_frames)
    agent->symbols_ = std::make_unique<HostSymbols>(options.symbols);
  FLARE_RETURN_IF_ERROR(agent->recorder_->Begin());
  agent->thread_ = std::thread([agent = agent.get()] { agent->Run(); });
  return agent;
}

Agent::~Agent() { Stop(); }

void Agent::Stop() {
  is_stopping_ = true;
  if (thread_.joinable())
    thread_.join();
}

AgentStats Agent::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Agent::Run() {
  auto next = std::chrono::steady_clock::now() + options_.interval;
  while (!is_stopping_) {
    recorder_->Step(kStep);
    if (std::chrono::steady_clock::now() < next)
      continue;
    next += options_.interval;
    HandOn();
  }
  HandOn();
}

void Agent::HandOn() {
  auto batch = recorder_->Take();
  const RecorderStats recorder_stats = recorder_->stats();
  if (governor_.Look(UsedByUs() + UsedByPrograms(recorder_stats), std::chrono::steady_clock::now()))
    recorder_->SetBudget(governor_.state().wait_unit_ns, governor_.state().stack_copies_max);
  bool is_handed_on = false;
  if (batch.ok() && !batch->samples.empty()) {
    if (symbols_ != nullptr)
      symbols_->Name(&*batch);
    codec::wire::ReverseWriter request(codec::otlp::EstimateProtobufBytes(*batch));
    codec::otlp::EncodeProtobuf(*batch, &request);
    output_(std::string(request.view()));
    is_handed_on = true;
  }
  const std::lock_guard lock(mutex_);
  stats_.recorder = recorder_stats;
  stats_.governor = governor_.state();
  stats_.batches += is_handed_on ? 1 : 0;
  stats_.failed_batches += batch.ok() ? 0 : 1;
  if (symbols_ != nullptr) {
    stats_.named_frames = symbols_->named_count();
    stats_.unnamed_frames = symbols_->unnamed_count();
  }
}

}  // namespace flarestack::record::agent
