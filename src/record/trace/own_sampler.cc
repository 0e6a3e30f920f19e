// SPDX-License-Identifier: Apache-2.0
#include "record/trace/own_sampler.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "record/kernel/online_cpus.h"

namespace flarestack::record::agent {
namespace {

// An unprivileged user may map about half a megabyte per CPU.
constexpr size_t kRingBytes = 256 << 10;
constexpr uint32_t kStackBytes = 16 << 10;
constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

// The second clock. It ticks often, so it copies less stack.
constexpr uint64_t kShortPeriodNs = 500'000;
constexpr uint32_t kShortStackBytes = 4 << 10;
// With a shorter period, the second clock gains little.
constexpr uint64_t kPeriodMinNs = 4 * kShortPeriodNs;

perf_event_attr AttributesOf(uint64_t period_ns, uint32_t stack_bytes) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = period_ns;
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                           PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = kOwnSampleRegisters;
  attributes.sample_stack_user = stack_bytes;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.inherit = 1;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.watermark = 1;
  attributes.wakeup_watermark = kRingBytes / 4;
  return attributes;
}

absl::StatusOr<base::Descriptor> OpenEvent(perf_event_attr attributes, pid_t process, int number) {
  base::Descriptor event(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, process, number, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!event.is_open() && errno != ENODEV)
    return absl::ErrnoToStatus(errno, "cannot sample an own process");
  return event;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OwnSampler>> OwnSampler::Open(const Options& options) {
  auto sampler = std::make_unique<OwnSampler>();
  sampler->period_ns_ = kNanosecondsPerSecond / options.frequency_hz;
  if (sampler->period_ns_ >= kPeriodMinNs) {
    sampler->short_period_ns_ = kShortPeriodNs;
    sampler->young_.emplace(
        YoungThreads::Periods{.long_ns = sampler->period_ns_, .short_ns = kShortPeriodNs});
  }
  for (const int number : options.processors.empty() ? OnlineCpus() : options.processors)
    FLARE_RETURN_IF_ERROR(sampler->OpenProcessor(options, number));
  return sampler;
}

absl::Status OwnSampler::OpenProcessor(const Options& options, int number) {
  perf_event_attr attributes = AttributesOf(period_ns_, kStackBytes);
  attributes.task = young_.has_value() ? 1 : 0;  // reports exits
  if (options.wakes_at_once) {
    attributes.watermark = 0;
    attributes.wakeup_events = 1;
  }
  FLARE_ASSIGN(base::Descriptor event, OpenEvent(attributes, options.process, number));
  if (!event.is_open())
    return absl::OkStatus();  // the CPU went offline meanwhile
  FLARE_ASSIGN(PerfRing ring, PerfRing::Map(event.get(), kRingBytes));
  base::Descriptor short_event;
  uint64_t short_id = 0;
  if (young_.has_value()) {
    FLARE_ASSIGN(short_event, OpenEvent(AttributesOf(short_period_ns_, kShortStackBytes),
                                        options.process, number));
    if (!short_event.is_open())
      return absl::OkStatus();
    if (ioctl(short_event.get(), PERF_EVENT_IOC_SET_OUTPUT, event.get()) != 0 ||
        ioctl(short_event.get(), PERF_EVENT_IOC_ID, &short_id) != 0)
      return absl::ErrnoToStatus(errno, "cannot sample short-lived threads");
  }
  fds_.push_back(event.get());
  processors_.push_back({.event = std::move(event),
                         .short_event = std::move(short_event),
                         .short_id = short_id,
                         .ring = std::move(ring)});
  return absl::OkStatus();
}

absl::Status OwnSampler::Begin() {
  for (const Processor& processor : processors_) {
    for (const base::Descriptor* event : {&processor.event, &processor.short_event}) {
      if (event->is_open() && ioctl(event->get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
        return absl::ErrnoToStatus(errno, "cannot start sampling");
    }
  }
  return absl::OkStatus();
}

uint64_t OwnSampler::lost_count() const {
  return lost_count_ + short_lost_count_ * short_period_ns_ / period_ns_;
}

uint64_t OwnSampler::ReadTime() const {
  uint64_t sum_ns = 0;
  for (const Processor& processor : processors_) {
    uint64_t time_ns = 0;
    if (read(processor.event.get(), &time_ns, sizeof(time_ns)) == sizeof(time_ns))
      sum_ns += time_ns;
  }
  return sum_ns;
}

void OwnSampler::Read(Visitor visit) {
  for (Processor& processor : processors_) {
    const uint64_t head = processor.ring.LoadHead();
    bytes_.clear();
    processor.ring.CopyUpTo(head, &bytes_);
    processor.ring.Consume(head - processor.ring.tail());
    std::string_view rest = bytes_;
    while (rest.size() >= sizeof(perf_event_header)) {
      perf_event_header header;
      std::memcpy(&header, rest.data(), sizeof(header));
      if (header.size < sizeof(header) || header.size > rest.size())
        break;
      ReadRecord(processor, rest.substr(0, header.size), visit);
      rest.remove_prefix(header.size);
    }
  }
}

void OwnSampler::ReadRecord(const Processor& processor, std::string_view record, Visitor visit) {
  perf_event_header header;
  std::memcpy(&header, record.data(), sizeof(header));
  const std::string_view body = record.substr(sizeof(header));
  const auto count_and_visit = [&](const OwnSample& sample) {
    ++sample_count_;
    visit(sample);
  };
  uint64_t id_and_lost[2];
  uint32_t ids[4];  // process, parent, thread, parent thread
  if (header.type == PERF_RECORD_LOST && body.size() >= sizeof(id_and_lost)) {
    std::memcpy(id_and_lost, body.data(), sizeof(id_and_lost));
    // A lost tick of the second clock counts as a fraction of a sample.
    (id_and_lost[0] == processor.short_id ? short_lost_count_ : lost_count_) += id_and_lost[1];
  } else if (header.type == PERF_RECORD_EXIT && body.size() >= sizeof(ids) && young_.has_value()) {
    std::memcpy(ids, body.data(), sizeof(ids));
    young_->OnExit(ids[2], count_and_visit);
  } else if (header.type == PERF_RECORD_SAMPLE) {
    const auto sample = DecodeOwnSample(body);
    if (!sample.ok())
      return;
    if (young_.has_value() && sample->event == processor.short_id) {
      young_->OnShortTick(*sample);
      return;
    }
    if (young_.has_value())
      young_->OnLongTick(sample->tid);
    count_and_visit(*sample);
  }
}

void OwnSampler::Finish(Visitor visit) {
  if (!young_.has_value())
    return;
  young_->Finish([&](const OwnSample& sample) {
    ++sample_count_;
    visit(sample);
  });
}

}  // namespace flarestack::record::agent
