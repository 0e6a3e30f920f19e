// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace flarestack::record::agent {
namespace {

size_t PageBytes() {
  static const auto kBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace

void AppendRingBytes(std::string_view data, uint64_t from, uint64_t to, std::string* out) {
  const uint64_t bytes = to - from;
  FLARE_CHECK(to >= from && bytes <= data.size(), from, to);
  const size_t begin = static_cast<size_t>(from & (data.size() - 1));
  const size_t before_end = std::min<size_t>(static_cast<size_t>(bytes), data.size() - begin);
  out->append(data.substr(begin, before_end));
  out->append(data.substr(0, static_cast<size_t>(bytes) - before_end));
}

absl::StatusOr<PerfRing> PerfRing::Map(int perf_fd, size_t data_bytes) {
  void* const memory = mmap(nullptr, PageBytes() + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            perf_fd, /*offset=*/0);
  if (memory == MAP_FAILED) {
    // EPERM means that kernel.perf_event_mlock_kb is used up.
    return absl::ErrnoToStatus(
        errno, base::StrCat("cannot map ", data_bytes, " bytes for the records of a perf event"));
  }
  return PerfRing(memory, data_bytes);
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      data_bytes_(other.data_bytes_),
      tail_(other.tail_) {}

PerfRing::~PerfRing() {
  if (memory_ != nullptr)
    munmap(memory_, PageBytes() + data_bytes_);
}

uint64_t PerfRing::LoadHead() const {
  auto* const control = static_cast<perf_event_mmap_page*>(memory_);
  // Acquire: the kernel writes the records, then the head.
  const uint64_t head = std::atomic_ref<__u64>(control->data_head).load(std::memory_order_acquire);
  return std::max(head, tail_);
}

void PerfRing::CopyUpTo(uint64_t head, std::string* out) const {
  const std::string_view data(static_cast<const char*>(memory_) + PageBytes(), data_bytes_);
  AppendRingBytes(data, tail_, head, out);
}

void PerfRing::Consume(uint64_t bytes) {
  tail_ += bytes;
  auto* const control = static_cast<perf_event_mmap_page*>(memory_);
  // Release: our reads complete before the kernel may overwrite the bytes.
  std::atomic_ref<__u64>(control->data_tail).store(tail_, std::memory_order_release);
}

}  // namespace flarestack::record::agent
