// SPDX-License-Identifier: Apache-2.0
#include "record/agent/recorder.h"

#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "base/file/descriptor.h"
#include "base/status.h"
#include "base/text/text.h"
#include "record/code/code_files.h"
#include "record/kernel/kernel_names.h"
#include "record/kernel/perf_events.h"
#include "record/process/process_resource.h"
#include "record/process/processes.h"
#include "record/runtime/naming/languages.h"
#include "record/runtime/naming/runtimes.h"
#include "record/trace/live_stacks.h"
#include "record/trace/own_sampler.h"
#include "record/trace/sample_collector.h"
#include "record/trace/stack_pool.h"
#include "record/trace/trace_assembler.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;

// When many programs start, events arrive one by one; this pause lets Step handle them in batches.
constexpr milliseconds kRest{10};
// How long traces stay in their ring buffer before they are read, unless it fills. Longer when few
// arrive.
constexpr milliseconds kTraceInterval{200};
constexpr milliseconds kTraceIntervalMax{1000};
constexpr uint32_t kTracesWorthReading = 20;  // per CPU
constexpr milliseconds kSweepInterval{1000};
// The state of a process can change without any trace that shows it, so periods are bounded.
constexpr milliseconds kPeriodMax{5000};
// Per step, which limits loading ahead to a fifth of a CPU.
constexpr std::chrono::microseconds kLoadAheadTime{2000};

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

uint64_t ReadClock(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * kNanosecondsPerSecond +
         static_cast<uint64_t>(time.tv_nsec);
}

// Tables in user-space memory, for recording without BPF programs.
struct OwnTables {
  OwnTables()
      : rows(size_t{bpf::ROWS_PER_CHUNK} * 32),
        pages(1 << 16),
        files(bpf::FILES_MAX),
        rules(bpf::RULES_MAX) {}

  KernelTables AsTables() { return {.rows = rows, .pages = pages, .files = files, .rules = rules}; }

  std::vector<bpf::unwind_row> rows;
  std::vector<bpf::code_page> pages;
  std::vector<bpf::code_file> files;
  std::vector<bpf::unwind_rule> rules;
};

// The sources of samples: either `kernel` or `sampler` is set.
struct Sources {
  std::unique_ptr<KernelSide> kernel;
  std::unique_ptr<OwnSampler> sampler;
  std::unique_ptr<OwnTables> own_tables;
  std::unique_ptr<PerfEvents> perf_events;
  bool may_stop_threads = false;  // of the own process
  std::string limits;
};

absl::StatusOr<Sources> OpenPrivileged(const RecorderOptions& options) {
  if (options.avoids_programs)
    return absl::PermissionDeniedError("BPF is disabled");
  Sources sources;
  const bool wants_waits = options.types.off_cpu || options.types.wall;
  std::vector<const CountedEvent*> counted;
  for (const std::string& name : options.types.counted) {
    counted.push_back(FindCountedEvent(name));
    if (counted.back() == nullptr)
      return absl::InvalidArgumentError(base::StrCat("unknown event ", name));
  }
  const bool has_many_traces = wants_waits || !counted.empty();
  FLARE_ASSIGN(sources.kernel,
               KernelSide::Load({.frequency_hz = options.frequency_hz,
                                 .records_on_cpu = options.types.cpu || options.types.wall,
                                 .records_off_cpu = wants_waits,
                                 .reads_goroutine_ids = options.reads_goroutine_ids,
                                 .choice = options.choice,
                                 .processors = options.processors,
                                 .counted = std::move(counted),
                                 .counted_period = options.counted_period,
                                 .trace_bytes = has_many_traces ? 4u << 20 : 1u << 20,
                                 .avoids_loop = options.avoids_loop}));
  FLARE_ASSIGN(sources.perf_events, PerfEvents::Open({}));
  return sources;
}

absl::StatusOr<Sources> OpenUnprivileged(const RecorderOptions& options, const absl::Status& why) {
  Sources sources;
  sources.limits = base::StrCat("no kernel frames and no waits",
                                options.types.counted.empty() ? "" : ", and no counted events",
                                ": ", base::Message(why));
  const absl::Status may_stop = LiveStacks::Check(options.own_process);
  sources.may_stop_threads = may_stop.ok();
  if (!may_stop.ok()) {
    base::StrAppend(&sources.limits,
                    "; no functions of Python, Java and Node.js: ", base::Message(may_stop));
  }
  FLARE_ASSIGN(sources.sampler, OwnSampler::Open({.process = options.own_process,
                                                  .frequency_hz = options.frequency_hz,
                                                  .processors = options.processors,
                                                  .wakes_at_once = sources.may_stop_threads}));
  FLARE_ASSIGN(sources.perf_events, PerfEvents::Open({.pid = options.own_process}));
  sources.own_tables = std::make_unique<OwnTables>();
  return sources;
}

// Waits and counted events arrive independently of the sampling frequency.
milliseconds TraceInterval(const RecorderOptions& options) {
  if (options.types.off_cpu || options.types.wall || !options.types.counted.empty())
    return kTraceInterval;
  return std::clamp(milliseconds(1000 * kTracesWorthReading / options.frequency_hz), kTraceInterval,
                    kTraceIntervalMax);
}

}  // namespace

struct Recorder::Impl {
  Impl(const RecorderOptions& recorder_options, Sources sources)
      : options(recorder_options),
        limits(std::move(sources.limits)),
        kernel(std::move(sources.kernel)),
        sampler(std::move(sources.sampler)),
        own_tables(std::move(sources.own_tables)),
        perf_events(std::move(sources.perf_events)),
        files(kernel != nullptr ? kernel->tables() : own_tables->AsTables(),
              options.keeps_files ? CodeFiles::Unused::kKeep : CodeFiles::Unused::kRelease),
        processes(kernel.get(), &files),
        runtimes(&processes, &files, kernel.get(), &frames),
        stacks({.files = &files, .frames = &frames}),
        collector(&processes, &resources, &stacks, {.bytes_max = options.memory_bytes_max}),
        assembler(&processes, &files, &runtimes, &collector) {
    files.SetRuntimeFinder(runtime::FindLanguage);
    runtimes.SetSourceMapFolder(options.source_map_folder);
    if (sources.may_stop_threads)
      live.emplace(options.own_process, &processes, &files, &runtimes);
  }

  absl::Status Watch(int fd, const base::Descriptor& watcher);
  absl::Status WatchAll();
  bool Rest(Time now);
  milliseconds WaitTime(Time now) const;
  void ReadEvents(Time now);
  void ReadRequests(Time now);
  void ReadTraces(Time now);
  void ReadOwnSamples(Time now);
  void BeginPeriod(Time now);
  uint64_t LostCount() const;

  RecorderOptions options;
  const milliseconds trace_interval = TraceInterval(options);
  std::string limits;
  std::unique_ptr<KernelSide> kernel;   // null without privileges
  std::unique_ptr<OwnSampler> sampler;  // set if `kernel` is null
  std::unique_ptr<OwnTables> own_tables;
  std::unique_ptr<PerfEvents> perf_events;
  CodeFiles files;
  Processes processes;
  ProcessResources resources;
  KernelNames kernel_names;
  runtime::FrameTable frames;
  runtime::Runtimes runtimes;
  StackPool stacks;
  SampleCollector collector;
  TraceAssembler assembler;
  std::optional<LiveStacks> live;  // without privileges, if threads can be stopped
  base::Descriptor events;
  base::Descriptor ticks;  // those of `sampler`, part of `events`
  Time last_step{};
  Time last_traces{};
  Time last_sweep{};
  Time last_period{};
  bool had_events = false;  // in the last step
  bool has_more_ahead = false;
  bool has_lost_events = false;
  bool has_ended = false;
  std::vector<pid_t> ended;  // processes whose last traces are not read yet
  uint64_t lost_reported = 0;
  uint64_t sample_count = 0;
  uint64_t processes_taken = 0;
  uint64_t resources_taken = 0;
  uint64_t processes_merged = 0;
};

absl::Status Recorder::Impl::Watch(int fd, const base::Descriptor& watcher) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(watcher.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return absl::UnavailableError(base::StrCat("epoll_ctl failed: ", std::strerror(errno)));
  return absl::OkStatus();
}

absl::Status Recorder::Impl::WatchAll() {
  events = base::Descriptor(epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : perf_events->fds())
    FLARE_RETURN_IF_ERROR(Watch(fd, events));
  if (kernel != nullptr) {
    FLARE_RETURN_IF_ERROR(Watch(kernel->requests_fd(), events));
    return Watch(kernel->traces_fd(), events);
  }
  ticks = base::Descriptor(epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : sampler->fds())
    FLARE_RETURN_IF_ERROR(Watch(fd, ticks));
  return Watch(ticks.get(), events);
}

// Samples of our own cannot wait. Returns whether there are any.
bool Recorder::Impl::Rest(Time now) {
  const auto left = std::chrono::ceil<milliseconds>(kRest - (now - last_step));
  if (!had_events || left.count() <= 0)
    return false;
  if (!ticks.is_open()) {
    std::this_thread::sleep_for(kRest - (now - last_step));
    return false;
  }
  epoll_event ready;
  return epoll_wait(ticks.get(), &ready, 1, static_cast<int>(left.count())) > 0;
}

// Until the next traces are read.
milliseconds Recorder::Impl::WaitTime(Time now) const {
  // A thread that stopped too late must be released soon.
  if (live.has_value() && live->has_late())
    return milliseconds(1);
  // Round up: with a truncated timeout, epoll would wake too early and have to wait again.
  const auto until_traces = std::chrono::ceil<milliseconds>(
      std::max(last_traces + trace_interval - now, Time::duration(0)));
  return has_more_ahead ? std::min(until_traces, kRest) : until_traces;
}

void Recorder::Impl::ReadEvents(Time now) {
  perf_events->Drain([&](const PerfEvent& event) {
    processes.Apply(event, now);
    if (const auto* exit = std::get_if<ExitEvent>(&event.what);
        exit != nullptr && exit->pid == exit->tid)
      ended.push_back(static_cast<pid_t>(exit->pid));
    if (const auto* code = std::get_if<KernelSymbolEvent>(&event.what))
      kernel_names.Apply(*code);
    has_lost_events |= std::holds_alternative<LostEvent>(event.what);
  });
  processes.Publish(now);
}

void Recorder::Impl::ReadRequests(Time now) {
  if (kernel == nullptr)
    return;
  kernel->ReadRequests([&](std::string_view message) {
    if (message.size() < sizeof(bpf::need_message))
      return;
    bpf::need_message need;
    std::memcpy(&need, message.data(), sizeof(need));
    if (need.head.kind == bpf::MESSAGE_NEED_PAGE)
      files.LoadPage(need.page, now);
    else if (need.head.kind == bpf::MESSAGE_NEED_PROCESS)
      processes.Learn(static_cast<pid_t>(need.tgid), now);
    else if (need.head.kind == bpf::MESSAGE_NEED_RUNTIME)
      runtimes.Attach(static_cast<pid_t>(need.tgid), now);
  });
  processes.Publish(now);
}

void Recorder::Impl::ReadTraces(Time now) {
  last_traces = now;
  // Processes that have exited by now reported all of their waits before this read.
  const std::vector<pid_t> ended_before = std::exchange(ended, {});
  if (sampler != nullptr)
    ReadOwnSamples(now);
  if (kernel != nullptr) {
    const auto read = [&] {
      return kernel->ReadTraces(
          [&](std::string_view message) {
            // A stack is unwound with the mappings its process had at that time, so pending events
            // come first.
            if (TraceAssembler::NeedsEvents(message))
              ReadEvents(now);
            assembler.Add(message, now);
          },
          [&](const bpf::trace_repeat& repeat) { collector.OnRepeat(repeat); });
    };
    // After End nothing new is written, so this reads until the ring buffer is empty.
    while (!read() && has_ended) {
    }
  }
  // After End, missing parts of a trace will not arrive any more.
  assembler.Flush(has_ended ? Time::max() : now);
  for (const pid_t pid : ended_before)
    collector.ClearWaits(pid);
}

void Recorder::Impl::ReadOwnSamples(Time now) {
  const auto add = [&](const OwnSample& sample) {
    assembler.AddOwn(sample, live.has_value() ? &*live : nullptr,
                     live.has_value() ? std::chrono::steady_clock::now() : now);
  };
  sampler->Read(add);
  if (has_ended)
    sampler->Finish(add);
}

// Call before reading traces: that read still delivers the repeats of the ending period.
void Recorder::Impl::BeginPeriod(Time now) {
  last_period = now;
  if (kernel != nullptr)
    kernel->BeginPeriod();
  collector.BeginPeriod();
}

uint64_t Recorder::Impl::LostCount() const {
  if (kernel == nullptr)
    return sampler->lost_count() + collector.lost_count();
  return kernel->ReadCounters()[bpf::COUNTER_TRACES_LOST] + collector.lost_count();
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() = default;

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(const RecorderOptions& options) {
  auto sources = OpenPrivileged(options);
  // Without privileges, only this process can be recorded.
  const bool is_own_only = options.own_process != 0 &&
                           options.choice.processes == std::vector<pid_t>{options.own_process} &&
                           options.choice.ChoosesProcessesAlone();
  if (absl::IsPermissionDenied(sources.status()) && is_own_only)
    sources = OpenUnprivileged(options, sources.status());
  if (!sources.ok())
    return sources.status();
  auto impl = std::make_unique<Impl>(options, *std::move(sources));
  FLARE_RETURN_IF_ERROR(impl->WatchAll());
  // Events are collected from here on, so no change is lost between them and the scan below.
  const Time now = std::chrono::steady_clock::now();
  if (impl->kernel != nullptr) {
    impl->kernel_names.ReadOnce(now);
    impl->processes.ScanAll(now);
  } else {
    impl->processes.Learn(options.own_process, now);
  }
  impl->processes.Publish(now);
  return std::unique_ptr<Recorder>(new Recorder(std::move(impl)));
}

absl::Status Recorder::Follow() {
  return impl_->kernel != nullptr ? impl_->kernel->Follow() : absl::OkStatus();
}

absl::Status Recorder::Begin() {
  impl_->collector.Take(ReadClock(CLOCK_MONOTONIC));
  return impl_->kernel != nullptr ? impl_->kernel->Attach() : impl_->sampler->Begin();
}

void Recorder::End() {
  if (impl_->kernel != nullptr)
    impl_->kernel->Detach();
  if (impl_->live.has_value())
    impl_->live->End();
  impl_->has_ended = true;
}

const std::string& Recorder::limits() const { return impl_->limits; }

void Recorder::Step(milliseconds wait_max) {
  const bool has_ticks = impl_->Rest(std::chrono::steady_clock::now());
  Time now = std::chrono::steady_clock::now();
  const milliseconds wait = has_ticks ? milliseconds(0) : std::min(wait_max, impl_->WaitTime(now));
  epoll_event ready[8];
  const int count = epoll_wait(impl_->events.get(), ready, 8, static_cast<int>(wait.count()));
  now = std::chrono::steady_clock::now();
  impl_->last_step = now;
  impl_->had_events = count > 0;
  const int traces_fd = impl_->kernel != nullptr ? impl_->kernel->traces_fd() : impl_->ticks.get();
  const bool has_many_traces =
      has_ticks || std::any_of(ready, ready + std::max(count, 0),
                               [&](const auto& one) { return one.data.fd == traces_fd; });
  if (impl_->live.has_value())
    impl_->live->ReleaseLate();
  impl_->ReadEvents(now);
  impl_->ReadRequests(now);
  if (has_many_traces || now - impl_->last_traces >= impl_->trace_interval) {
    if (now - impl_->last_period >= kPeriodMax)
      impl_->BeginPeriod(now);
    impl_->ReadTraces(now);
  }
  impl_->has_more_ahead = impl_->files.LoadAhead(kLoadAheadTime);
  if (now - impl_->last_sweep >= kSweepInterval) {
    impl_->last_sweep = now;
    if (std::exchange(impl_->has_lost_events, false) && impl_->kernel != nullptr)
      impl_->processes.CheckAll(now);
    impl_->processes.Sweep(now);
    impl_->runtimes.Sweep();
  }
}

absl::StatusOr<model::Batch> Recorder::Take() {
  const Time now = std::chrono::steady_clock::now();
  const uint64_t monotonic_ns = ReadClock(CLOCK_MONOTONIC);
  impl_->ReadEvents(now);
  impl_->ReadRequests(now);
  // No repeat of a trace taken now may arrive later.
  impl_->BeginPeriod(now);
  impl_->ReadTraces(now);
  const SampleWindow window = impl_->collector.Take(monotonic_ns);
  impl_->sample_count += window.on_cpu_count + window.wait_count;
  const uint64_t lost = impl_->LostCount();
  const Losses losses = {.samples = lost - std::exchange(impl_->lost_reported, lost)};
  const ProfileWriterOptions writer = {
      .types = impl_->options.types,
      .period_ns = kNanosecondsPerSecond / impl_->options.frequency_hz,
      .counted_period = impl_->options.counted_period,
      .clock_offset_ns = static_cast<int64_t>(ReadClock(CLOCK_REALTIME)) -
                         static_cast<int64_t>(ReadClock(CLOCK_MONOTONIC)),
      .has_timestamps = impl_->options.has_timestamps,
      .grouping = impl_->options.grouping,
      .host = HostAttributes()};
  auto written = WriteProfiles(
      window,
      {.files = &impl_->files, .frames = &impl_->frames, .kernel_names = &impl_->kernel_names},
      losses, writer);
  impl_->resources.Sweep();
  impl_->stacks.Sweep();
  impl_->frames.Sweep();
  if (!written.ok())
    return written.status();
  impl_->processes_taken += written->process_count;
  impl_->resources_taken += written->resource_count;
  impl_->processes_merged += written->merged_count;
  return std::move(written->batch);
}

bool Recorder::is_filling() const { return impl_->collector.is_filling(); }

void Recorder::SetBudget(uint64_t wait_unit_ns, uint32_t stack_copies_max) {
  if (impl_->kernel == nullptr)
    return;
  impl_->kernel->SetWaitSampling(wait_unit_ns);
  impl_->kernel->SetStackCopiesMax(stack_copies_max);
}

std::vector<RecordedFile> Recorder::OpenFiles() const { return impl_->files.OpenFiles(); }

absl::Status Recorder::EnableCosts() {
  if (impl_->kernel == nullptr)
    return absl::FailedPreconditionError("no BPF programs are loaded");
  return impl_->kernel->EnableCosts();
}

uint64_t Recorder::sample_count() const {
  return impl_->sample_count + impl_->collector.sample_count();
}

RecorderStats Recorder::stats() const {
  RecorderStats stats = {.lost = impl_->LostCount(),
                         .walked_by_us = impl_->assembler.walked_count(),
                         .processes = impl_->processes.count(),
                         .processes_taken = impl_->processes_taken,
                         .resources_taken = impl_->resources_taken,
                         .processes_merged = impl_->processes_merged,
                         .files = impl_->files.count(),
                         .mappings_left_out = impl_->processes.mappings_left_out(),
                         .pages_loaded = impl_->files.pages_loaded(),
                         .runtime_problems = impl_->files.RuntimeProblems()};
  const runtime::RuntimeCounts& counts = impl_->runtimes.counts();
  stats.language_frames = counts.frames_named + counts.frames_unnamed;
  stats.language_frames_unnamed = counts.frames_unnamed;
  stats.language_naming_ns = counts.time_ns;
  if (impl_->kernel == nullptr) {
    stats.samples = impl_->sampler->sample_count();
    stats.own_time_ns = impl_->sampler->ReadTime();
    stats.short_period_ns = impl_->sampler->short_period_ns();
    if (impl_->live.has_value())
      stats.own_stops = impl_->live->counts();
    return stats;
  }
  stats.lacks_goroutines = !impl_->kernel->reads_goroutines();
  const KernelCounters counters = impl_->kernel->ReadCounters();
  stats.samples = counters[bpf::COUNTER_SAMPLES];
  stats.waits = counters[bpf::COUNTER_WAITS];
  stats.waits_recorded = counters[bpf::COUNTER_WAITS_TAKEN];
  stats.lost_waits = counters[bpf::COUNTER_WAITS_LOST];
  stats.table_bytes = impl_->kernel->memory_bytes();
  stats.costs = impl_->kernel->ReadCosts();
  std::copy_n(counters.begin() + bpf::COUNTER_END_FIRST, stats.ends.size(), stats.ends.begin());
  return stats;
}

}  // namespace flarestack::record::agent
