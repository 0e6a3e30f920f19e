// SPDX-License-Identifier: Apache-2.0
#include "record/trace/sample_collector.h"

#include <algorithm>
#include <utility>

namespace flarestack::record::agent {
namespace {

SampleKind KindOf(bpf::wait_state state) {
  switch (state) {
    case bpf::WAIT_PREEMPTED:
      return SampleKind::kRunQueue;
    case bpf::WAIT_DISK:
      return SampleKind::kDisk;
    case bpf::WAIT_LOCK:
      return SampleKind::kLock;
    case bpf::WAIT_SLEEP:
      break;
  }
  return SampleKind::kSleep;
}

// Counts a sample with its stack, even if other samples share the stack.
uint64_t BytesOfNew(const SampleKey& key) {
  return sizeof(SampleKey) + sizeof(SampleTimes) + sizeof(RecordedStack) + key.context.size() +
         key.goroutine.size() +
         sizeof(uint64_t) * (key.stack->kernel().size() + key.stack->user().size());
}

}  // namespace

SampleCollector::SampleCollector(Processes* processes, ProcessResources* resources,
                                 StackPool* stacks, const SampleLimits& limits)
    : processes_(*processes), resources_(*resources), stacks_(*stacks), limits_(limits) {}

Owner SampleCollector::OwnerOf(const Trace& trace) {
  ProcessIdentity identity = {.pid = static_cast<pid_t>(trace.pid),
                              .start_time_ns = trace.start_time_ns,
                              .cgroup_id = trace.cgroup_id,
                              .command = trace.comm};
  const Process* const process = processes_.Find(identity.pid, trace.start_time_ns);
  if (process != nullptr)
    identity.parent = process->parent;
  if (const FormerProgram* const former =
          process == nullptr ? nullptr : process->FormerAt(trace.time_ns);
      former != nullptr) {
    identity.is_former = true;
    identity.generation = former->generation;
    identity.executable = former->executable;
    if (!former->command.empty())
      identity.command = former->command;
  } else if (process != nullptr) {
    identity.generation = process->generation;
    identity.executable = process->executable;
    identity.runtime_name = process->runtime.name;
    identity.runtime_version = process->runtime.version;
    if (!process->command.empty())
      identity.command = process->command;
  }
  const Time now = std::chrono::steady_clock::now();
  Owner owner = resources_.Of(identity, now);
  if (process != nullptr && !identity.is_former && process->context.kind == bpf::CONTEXT_NONE &&
      owner->context != nullptr && !owner->context->thread_schema_version().empty())
    processes_.LookForThreadContext(identity.pid, now);
  return owner;
}

uint32_t SampleCollector::OwnerIndex(const Owner& owner) {
  const auto [place, is_new] =
      owner_indices_.try_emplace(owner.get(), static_cast<uint32_t>(window_.owners.size()));
  if (is_new)
    window_.owners.push_back(owner);
  return place->second;
}

// Returns false and counts a loss if there is no space.
bool SampleCollector::TakeRoom(uint64_t bytes) {
  if (window_.bytes + bytes > limits_.bytes_max) {
    ++lost_count_;
    return false;
  }
  window_.bytes += bytes;
  return true;
}

// Returns null if there is no space for another time, or for the new sample it needs.
SampleTimes* SampleCollector::TimesOf(SampleKey key, uint64_t bytes_of_time) {
  const auto found = window_.samples.find(key);
  if (!TakeRoom(bytes_of_time + (found == window_.samples.end() ? BytesOfNew(key) : 0)))
    return nullptr;
  return found != window_.samples.end() ? &found->second : &window_.samples[std::move(key)];
}

void SampleCollector::OnTrace(const Trace& trace) {
  const Owner owner = OwnerOf(trace);
  SampleKey key = {.tid = trace.tid,
                   .thread_name = trace.comm,
                   .context = trace.context,
                   .goroutine = trace.goroutine,
                   .stack = stacks_.Intern(trace.kernel_frames, trace.user_frames, trace.end)};
  if (trace.origin == bpf::ORIGIN_ON_CPU) {
    NoteRunning(trace.tid, trace.time_ns);
    key.owner = OwnerIndex(owner);
    ++window_.on_cpu_count;
    SampleTimes* const times = TimesOf(std::move(key), sizeof(uint64_t));
    if (times == nullptr)
      return;
    times->times_ns.push_back(trace.time_ns);
    if (trace.content != 0)
      repeatables_[trace.content] = {.times = times, .tid = trace.tid};
    return;
  }
  if (trace.origin == bpf::ORIGIN_COUNTED) {
    key.kind = SampleKind::kCounted;
    key.event = trace.event;
    key.owner = OwnerIndex(owner);
    ++window_.on_cpu_count;
    if (SampleTimes* const times = TimesOf(std::move(key), 2 * sizeof(uint64_t))) {
      times->times_ns.push_back(trace.time_ns);
      times->event_counts.push_back(trace.event_count);
    }
    return;
  }
  if (waits_.size() >= limits_.waits_max && !waits_.contains(trace.tid)) {
    ++lost_count_;
    return;
  }
  key.kind = KindOf(trace.wait);
  waits_[trace.tid] = {.owner = owner,
                       .key = std::move(key),
                       .begin_ns = trace.time_ns,
                       .counted_until_ns = trace.time_ns,
                       .probability = std::max<uint32_t>(trace.probability, 1)};
}

// A running thread does not wait: the end of its wait arrives later, or was lost. A wait that began
// after `time_ns` may already have arrived, and is not affected.
void SampleCollector::NoteRunning(uint32_t tid, uint64_t time_ns) {
  const auto wait = waits_.find(tid);
  if (wait != waits_.end() && wait->second.begin_ns < time_ns)
    wait->second.end_ns_max = std::min(wait->second.end_ns_max, time_ns);
}

const SampleCollector::Repeatable* SampleCollector::FindRepeatable(uint64_t content) const {
  for (const Repeatables* period : {&repeatables_, &repeatables_before_}) {
    if (const auto found = period->find(content); found != period->end())
      return &found->second;
  }
  return nullptr;
}

void SampleCollector::OnRepeat(const bpf::trace_repeat& repeat) {
  const Repeatable* const sample = FindRepeatable(repeat.content);
  ++window_.on_cpu_count;
  if (sample == nullptr) {
    ++lost_count_;
    return;
  }
  NoteRunning(sample->tid, repeat.time_ns);
  if (!TakeRoom(sizeof(uint64_t)))
    return;
  sample->times->times_ns.push_back(repeat.time_ns);
}

void SampleCollector::BeginPeriod() { repeatables_before_ = std::exchange(repeatables_, {}); }

void SampleCollector::OnWaitEnd(const WaitEnd& end) {
  const auto found = waits_.find(end.tid);
  if (found == waits_.end() || found->second.begin_ns != end.time_ns)
    return;
  const Wait& wait = found->second;
  const uint64_t wake_ns = std::clamp(end.wake_ns, end.time_ns, end.run_ns);
  Count(wait, wait.key.kind, wait.counted_until_ns, std::max(wait.counted_until_ns, wake_ns));
  Count(wait, SampleKind::kRunQueue, std::max(wait.counted_until_ns, wake_ns),
        std::max(wait.counted_until_ns, end.run_ns));
  waits_.erase(found);
}

void SampleCollector::Count(const Wait& wait, SampleKind kind, uint64_t begin_ns, uint64_t end_ns) {
  if (end_ns <= begin_ns)
    return;
  SampleKey key = wait.key;
  key.kind = kind;
  key.owner = OwnerIndex(wait.owner);
  SampleTimes* times = TimesOf(std::move(key), 2 * sizeof(uint64_t));
  if (times == nullptr)
    return;
  // A wait that was chosen with probability 1/n stands for n waits.
  const auto weighed = static_cast<uint64_t>(static_cast<double>(end_ns - begin_ns) * 65536.0 /
                                             static_cast<double>(wait.probability));
  times->times_ns.push_back(begin_ns);
  times->durations_ns.push_back(weighed);
  ++window_.wait_count;
}

SampleWindow SampleCollector::Take(uint64_t now_ns) {
  for (auto& [tid, wait] : waits_) {
    const uint64_t end_ns = std::min(now_ns, wait.end_ns_max);
    Count(wait, wait.key.kind, wait.counted_until_ns, end_ns);
    wait.counted_until_ns = std::max(wait.counted_until_ns, end_ns);
  }
  window_.end_ns = now_ns;
  // Repeats are read after the complete traces that were sent in the meantime.
  for (auto& [key, times] : window_.samples) {
    if (key.kind == SampleKind::kOnCpu)
      std::sort(times.times_ns.begin(), times.times_ns.end());
  }
  repeatables_.clear();
  repeatables_before_.clear();
  SampleWindow taken = std::exchange(window_, {});
  window_.begin_ns = now_ns;
  owner_indices_.clear();
  return taken;
}

void SampleCollector::ClearWaits(pid_t pid) {
  absl::erase_if(waits_, [pid](const auto& entry) { return entry.second.owner->pid == pid; });
}

}  // namespace flarestack::record::agent
