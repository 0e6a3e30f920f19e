// SPDX-License-Identifier: Apache-2.0
#include "record/agent/own_sampler.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/text.h"
#include "record/agent/online_cpus.h"

namespace flarestack::record::agent {
namespace {

// What an unprivileged user may map is about half a megabyte for each processor.
constexpr size_t kRingBytes = 256 << 10;
constexpr uint32_t kStackBytes = 16 << 10;
constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

#if defined(__x86_64__)
// The kernel's numbers of rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, rip, r8 to r15, in the order in
// which they are written, and those of DWARF for them; rip has none.
constexpr uint64_t kRegisterMask = 0x1ff | 0xff0000;
constexpr int kPc = -1;
constexpr std::array<int, 17> kDwarfNumbers = {0, 3, 2,  1,  4,  5,  6,  7, kPc,
                                               8, 9, 10, 11, 12, 13, 14, 15};
#else
// x0 to x30, sp, pc.
constexpr uint64_t kRegisterMask = (uint64_t{1} << 33) - 1;
constexpr int kPc = -1;
constexpr std::array<int, 33> kDwarfNumbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31, kPc};
#endif
static_assert(std::popcount(kRegisterMask) == static_cast<int>(kDwarfNumbers.size()));

perf_event_attr AttributesOf(uint32_t frequency_hz) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = kNanosecondsPerSecond / frequency_hz;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                           PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = kRegisterMask;
  attributes.sample_stack_user = kStackBytes;
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

// Takes values off the front of bytes.
template <typename Value>
bool Take(std::string_view* bytes, Value* value) {
  if (bytes->size() < sizeof(Value))
    return false;
  std::memcpy(value, bytes->data(), sizeof(Value));
  bytes->remove_prefix(sizeof(Value));
  return true;
}

bool TakeRegisters(std::string_view* bytes, bpf::unwind_registers* registers) {
  uint64_t abi = 0;
  if (!Take(bytes, &abi))
    return false;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE)
    return true;
  for (const int number : kDwarfNumbers) {
    uint64_t value = 0;
    if (!Take(bytes, &value))
      return false;
    if (number == kPc)
      registers->pc = value;
    else
      registers->regs[number] = value;
  }
  registers->has_all = 1;
  return true;
}

}  // namespace

absl::StatusOr<OwnSample> DecodeOwnSample(std::string_view body) {
  const absl::Status cut = absl::InvalidArgumentError("a sample is cut short");
  OwnSample sample;
  uint32_t reserved = 0;
  uint64_t stack_bytes = 0;
  if (!Take(&body, &sample.pid) || !Take(&body, &sample.tid) || !Take(&body, &sample.time_ns) ||
      !Take(&body, &sample.cpu) || !Take(&body, &reserved) ||
      !TakeRegisters(&body, &sample.registers) || !Take(&body, &stack_bytes))
    return cut;
  if (stack_bytes == 0)
    return sample;
  if (body.size() < stack_bytes)
    return cut;
  sample.stack = body.substr(0, stack_bytes);
  body.remove_prefix(stack_bytes);
  // Of the room for the stack, so much was filled.
  uint64_t filled_bytes = 0;
  if (!Take(&body, &filled_bytes))
    return cut;
  sample.stack = sample.stack.substr(0, filled_bytes);
  return sample;
}

absl::StatusOr<std::unique_ptr<OwnSampler>> OwnSampler::Open(pid_t process, uint32_t frequency_hz,
                                                             const std::vector<int>& processors) {
  auto sampler = std::make_unique<OwnSampler>();
  for (const int number : processors.empty() ? OnlineCpus() : processors) {
    perf_event_attr attributes = AttributesOf(frequency_hz);
    base::Descriptor event(static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, process, number, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!event.is_open()) {
      if (errno == ENODEV)
        continue;
      return absl::ErrnoToStatus(errno, "cannot sample a process of one's own");
    }
    FLARE_ASSIGN(PerfRing ring, PerfRing::Map(event.get(), kRingBytes));
    sampler->fds_.push_back(event.get());
    sampler->processors_.push_back({.event = std::move(event), .ring = std::move(ring)});
  }
  return sampler;
}

absl::Status OwnSampler::Begin() {
  for (const int fd : fds_) {
    if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
      return absl::ErrnoToStatus(errno, "cannot start sampling");
  }
  return absl::OkStatus();
}

void OwnSampler::Read(absl::FunctionRef<void(const OwnSample&)> visit) {
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
      const std::string_view body = rest.substr(sizeof(header), header.size - sizeof(header));
      rest.remove_prefix(header.size);
      uint64_t id_and_lost[2];
      if (header.type == PERF_RECORD_LOST && body.size() >= sizeof(id_and_lost)) {
        std::memcpy(id_and_lost, body.data(), sizeof(id_and_lost));
        lost_count_ += id_and_lost[1];
      }
      if (header.type != PERF_RECORD_SAMPLE)
        continue;
      if (const auto sample = DecodeOwnSample(body); sample.ok()) {
        ++sample_count_;
        visit(*sample);
      }
    }
  }
}

}  // namespace flarestack::record::agent
