// SPDX-License-Identifier: Apache-2.0
#include "record/agent/side_band.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/status.h"
#include "elf/text_fields.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kCpuNumberMax = 65535;
// How often a drain looks again when news came while it worked.
constexpr int kRoundsMax = 8;
// Scratch above this is given back after a drain.
constexpr size_t kScratchKeptBytes = 1 << 20;

uint64_t MonotonicNanos() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * base::kNanosPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

perf_event_attr EventOf(const SideBandOptions& options, bool with_build_ids) {
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
    attr.ksymbol = 1;  // tells of BPF programs too, so their own kind of record is not needed
  } else {
    attr.inherit = 1;
  }
  // Nothing is counted; with these two, users without privileges may ask.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.watermark = 1;  // wakeup_events would count samples, of which there are none
  attr.wakeup_watermark = options.wakeup_bytes;
  return attr;
}

int OpenEvent(perf_event_attr attr, pid_t pid, int cpu) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, pid, cpu, /*group_fd=*/-1, PERF_FLAG_FD_CLOEXEC));
}

std::optional<int> ParseCpu(std::string_view text) {
  const std::optional<uint64_t> number = elf::ParseNumber(text, 10);
  if (!number.has_value() || *number > kCpuNumberMax)
    return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = elf::TakeLine(&text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view range = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    const size_t dash = range.find('-');
    const std::optional<int> first = ParseCpu(range.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : ParseCpu(range.substr(dash + 1));
    if (!first.has_value() || !last.has_value() || *first > *last ||
        (!cpus.empty() && *first <= cpus.back())) {
      return absl::InvalidArgumentError(base::StrCat("\"", range, "\" is no range of CPUs"));
    }
    for (int cpu = *first; cpu <= *last; ++cpu)
      cpus.push_back(cpu);
  }
  if (cpus.empty())
    return absl::InvalidArgumentError("the list of CPUs is empty");
  return cpus;
}

absl::StatusOr<std::unique_ptr<SideBand>> SideBand::Open(const SideBandOptions& options) {
  constexpr uint64_t kListBytesMax = 1 << 16;
  FLARE_ASSIGN(const std::string online,
               base::ReadFile("/sys/devices/system/cpu/online", kListBytesMax));
  FLARE_ASSIGN(const std::vector<int> cpus, ParseCpuList(online));
  std::unique_ptr<SideBand> side_band(new SideBand(options));
  for (const int cpu : cpus)
    FLARE_RETURN_IF_ERROR(side_band->OpenCpu(cpu));
  if (side_band->cpus_.empty())
    return absl::UnavailableError("no CPU takes perf events");
  return side_band;
}

absl::Status SideBand::OpenCpu(int cpu) {
  base::Descriptor event(OpenEvent(EventOf(options_, has_build_ids_), options_.pid, cpu));
  if (!event.is_open() && errno == EINVAL && has_build_ids_) {
    has_build_ids_ = false;  // before 5.12
    event = base::Descriptor(OpenEvent(EventOf(options_, has_build_ids_), options_.pid, cpu));
  }
  if (!event.is_open()) {
    if (errno == ENODEV)
      return absl::OkStatus();  // it went offline meanwhile
    return absl::ErrnoToStatus(
        errno, base::StrCat("cannot listen to the news about processes on CPU ", cpu));
  }
  FLARE_ASSIGN(PerfRing ring, PerfRing::Map(event.get(), options_.ring_bytes));
  fds_.push_back(event.get());
  cpus_.push_back({.event = std::move(event), .ring = std::move(ring)});
  return absl::OkStatus();
}

void SideBand::Drain(Visitor visit) {
  for (int round = 0; round < kRoundsMax && DrainOnce(visit); ++round) {
  }
  if (bytes_.capacity() > kScratchKeptBytes) {
    bytes_ = {};
    pending_ = {};
  }
}

// True when records were left, because they are younger than the begin of the round. Without that
// a process could be seen to end before it began: its begin on a CPU whose ring was read before,
// its end on one that was read after.
bool SideBand::DrainOnce(Visitor visit) {
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

bool SideBand::TakeRecords(PerfRing* ring, uint64_t head, uint64_t now_ns) {
  const size_t begin = bytes_.size();
  ring->CopyUpTo(head, &bytes_);
  size_t offset = begin;
  bool are_left = false;
  while (offset < bytes_.size()) {
    const std::string_view rest = std::string_view(bytes_).substr(offset);
    const auto size_bytes = SideBandRecordBytes(rest);
    if (!size_bytes.ok()) {
      ++malformed_count_;
      offset = bytes_.size();  // where the next one begins is not known
      break;
    }
    const auto time_ns = SideBandRecordTime(rest.substr(0, *size_bytes));
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

void SideBand::HandOut(const PendingRecord& record, Visitor visit) {
  const auto event =
      DecodeSideBandRecord(std::string_view(bytes_).substr(record.offset, record.size_bytes));
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
