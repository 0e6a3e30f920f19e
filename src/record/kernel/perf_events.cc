// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/perf_events.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "record/kernel/online_cpus.h"

namespace flarestack::record::agent {
namespace {

// How often a drain repeats if events arrive meanwhile.
constexpr int kRoundsMax = 8;
// Larger scratch memory is freed after a drain.
constexpr size_t kScratchKeptBytes = 1 << 20;

uint64_t MonotonicNanos() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * base::kNanosPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

perf_event_attr EventOf(const PerfEventsOptions& options, bool with_build_ids) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.mmap = 1;
  attr.mmap2 = 1;
  if (with_build_ids)
    attr.build_id = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.task = 1;
  if (options.pid < 0) {
    attr.ksymbol = 1;  // covers BPF programs too, so PERF_RECORD_BPF_EVENT is not needed
  } else {
    attr.inherit = 1;
  }
  // Nothing is counted; with these two, unprivileged users may open the event.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.watermark = 1;  // wakeup_events would count samples, and there are none
  attr.wakeup_watermark = options.wakeup_bytes;
  return attr;
}

int OpenEvent(perf_event_attr attr, pid_t pid, int cpu) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, pid, cpu, /*group_fd=*/-1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PerfEvents>> PerfEvents::Open(const PerfEventsOptions& options) {
  std::unique_ptr<PerfEvents> perf_events(new PerfEvents(options));
  for (const int cpu : OnlineCpus())
    FLARE_RETURN_IF_ERROR(perf_events->OpenCpu(cpu));
  if (perf_events->cpus_.empty())
    return absl::UnavailableError("no CPU accepts perf events");
  return perf_events;
}

absl::Status PerfEvents::OpenCpu(int cpu) {
  base::Descriptor event(OpenEvent(EventOf(options_, has_build_ids_), options_.pid, cpu));
  if (!event.is_open() && errno == EINVAL && has_build_ids_) {
    has_build_ids_ = false;  // before 5.12
    event = base::Descriptor(OpenEvent(EventOf(options_, has_build_ids_), options_.pid, cpu));
  }
  if (!event.is_open()) {
    if (errno == ENODEV)
      return absl::OkStatus();  // it went offline meanwhile
    return absl::ErrnoToStatus(errno, base::StrCat("cannot receive process events on CPU ", cpu));
  }
  FLARE_ASSIGN(PerfRing ring, PerfRing::Map(event.get(), options_.ring_bytes));
  fds_.push_back(event.get());
  cpus_.push_back({.event = std::move(event), .ring = std::move(ring)});
  return absl::OkStatus();
}

void PerfEvents::Drain(Visitor visit) {
  for (int round = 0; round < kRoundsMax && DrainOnce(visit); ++round) {
  }
  if (bytes_.capacity() > kScratchKeptBytes) {
    bytes_ = {};
    pending_ = {};
  }
}

// Returns true if records newer than the start of the round were left for the next one. Without
// that limit a process could appear to end before it began: with its start on a CPU whose ring
// buffer was read earlier, and its end on one that was read later.
bool PerfEvents::DrainOnce(Visitor visit) {
  const uint64_t now_ns = MonotonicNanos();
  bytes_.clear();
  pending_.clear();
  heads_.clear();
  for (const Cpu& cpu : cpus_)
    heads_.push_back(cpu.ring.LoadHead());
  bool are_left = false;
  for (size_t i = 0; i < cpus_.size(); ++i)
    are_left |= TakeRecords(&cpus_[i].ring, heads_[i], now_ns);
  std::stable_sort(
      pending_.begin(), pending_.end(),
      [](const PendingRecord& a, const PendingRecord& b) { return a.time_ns < b.time_ns; });
  for (const PendingRecord& record : pending_)
    HandOut(record, visit);
  return are_left;
}

bool PerfEvents::TakeRecords(PerfRing* ring, uint64_t head, uint64_t now_ns) {
  const size_t begin = bytes_.size();
  ring->CopyUpTo(head, &bytes_);
  size_t offset = begin;
  bool are_left = false;
  while (offset < bytes_.size()) {
    const std::string_view rest = std::string_view(bytes_).substr(offset);
    const auto size_bytes = PerfEventRecordBytes(rest);
    if (!size_bytes.ok()) {
      ++malformed_count_;
      offset = bytes_.size();  // the start of the next record is unknown
      break;
    }
    const auto time_ns = PerfEventRecordTime(rest.substr(0, *size_bytes));
    if (time_ns.ok() && *time_ns > now_ns) {
      are_left = true;
      break;
    }
    if (time_ns.ok()) {
      pending_.push_back({.time_ns = *time_ns, .offset = offset, .size_bytes = *size_bytes});
    } else {
      ++malformed_count_;
    }
    offset += *size_bytes;
  }
  ring->Consume(offset - begin);
  bytes_.resize(offset);
  return are_left;
}

void PerfEvents::HandOut(const PendingRecord& record, Visitor visit) {
  const auto event =
      DecodePerfEventRecord(std::string_view(bytes_).substr(record.offset, record.size_bytes));
  if (!event.ok()) {
    ++malformed_count_;
    return;
  }
  if (const auto* lost = std::get_if<LostEvent>(&event->what); lost != nullptr)
    lost_count_ += lost->count;
  if (!std::holds_alternative<OtherEvent>(event->what))
    visit(*event);
}

}  // namespace flarestack::record::agent
