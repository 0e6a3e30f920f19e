// SPDX-License-Identifier: Apache-2.0
#include "sdk/sample/sample_ring_signal.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace flarestack::sdk {
namespace {

constexpr uint32_t kReady = 1;
constexpr size_t kAlignment = 64;

struct Record {
  std::atomic<uint32_t> state;  // 0 until everything is written
  uint32_t bytes;               // with frames, labels and padding
  SampleFacts facts;
  uint16_t frame_count;
  uint16_t label_bytes;
  bool has_span;
  std::array<uint8_t, 16> trace_id;
  std::array<uint8_t, 8> span_id;
};
static_assert(sizeof(Record) % alignof(uintptr_t) == 0);

struct Ring {
  char* memory = nullptr;
  size_t capacity = 0;
  std::atomic<uint64_t> head = 0;  // reserved by writers
  std::atomic<uint64_t> tail = 0;  // read
  std::atomic<uint32_t> wakeups = 0;
  std::array<std::atomic<uint64_t>, kSampleKindCount> losses = {};
};
constinit Ring g_ring;

Record* At(uint64_t position) {
  return reinterpret_cast<Record*>(g_ring.memory + position % g_ring.capacity);
}

void Futex(int operation, uint32_t value, const timespec* timeout) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&g_ring.wakeups), operation, value, timeout,
          nullptr, 0);
}

// Returns the place of `bytes` contiguous bytes; nullopt if there is no room. Fills the end of the
// ring with padding if the record does not fit there.
std::optional<uint64_t> Reserve(size_t bytes) {
  uint64_t head = g_ring.head.load(std::memory_order_relaxed);
  for (;;) {
    const size_t until_end = g_ring.capacity - head % g_ring.capacity;
    const size_t padding = until_end < bytes ? until_end : 0;
    const uint64_t used = head - g_ring.tail.load(std::memory_order_acquire);
    if (used + padding + bytes > g_ring.capacity)
      return std::nullopt;
    if (!g_ring.head.compare_exchange_weak(head, head + padding + bytes, std::memory_order_acq_rel))
      continue;
    if (padding != 0) {
      Record* const record = At(head);
      record->bytes = static_cast<uint32_t>(padding);
      record->facts.kind = SampleKind::kPadding;
      record->state.store(kReady, std::memory_order_release);
    }
    if (used < g_ring.capacity / 2 && used + padding + bytes >= g_ring.capacity / 2)
      WakeReader();
    return head + padding;
  }
}

}  // namespace

bool OpenSampleRing(size_t bytes) {
  if (g_ring.memory != nullptr)
    return true;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  g_ring.capacity = bytes;
  g_ring.memory = static_cast<char*>(memory);
  return true;
}

bool PushSample(const Sample& sample) {
  const size_t frame_bytes = sample.frames.size_bytes();
  const size_t label_bytes = sample.context.labels.size();
  const size_t bytes =
      (sizeof(Record) + frame_bytes + label_bytes + kAlignment - 1) & ~(kAlignment - 1);
  const auto place = Reserve(bytes);
  if (!place.has_value()) {
    CountLoss(sample.facts.kind);
    return false;
  }
  Record* const record = At(*place);
  record->bytes = static_cast<uint32_t>(bytes);
  record->facts = sample.facts;
  record->frame_count = static_cast<uint16_t>(sample.frames.size());
  record->label_bytes = static_cast<uint16_t>(label_bytes);
  record->has_span = sample.context.has_span;
  record->trace_id = sample.context.trace_id;
  record->span_id = sample.context.span_id;
  char* const behind = reinterpret_cast<char*>(record + 1);
  if (frame_bytes != 0)
    std::memcpy(behind, sample.frames.data(), frame_bytes);
  if (label_bytes != 0)
    std::memcpy(behind + frame_bytes, sample.context.labels.data(), label_bytes);
  record->state.store(kReady, std::memory_order_release);
  return true;
}

bool HasRoomForAllocation() {
  // Relaxed: a rough bound.
  const uint64_t used =
      g_ring.head.load(std::memory_order_relaxed) - g_ring.tail.load(std::memory_order_relaxed);
  return g_ring.memory != nullptr && used < g_ring.capacity / 8 * 7;
}

std::optional<Sample> PeekSample() {
  for (;;) {
    const uint64_t tail = g_ring.tail.load(std::memory_order_relaxed);
    if (tail == g_ring.head.load(std::memory_order_acquire))
      return std::nullopt;
    const Record* const record = At(tail);
    if (record->state.load(std::memory_order_acquire) != kReady)
      return std::nullopt;
    if (record->facts.kind == SampleKind::kPadding) {
      PopSample();
      continue;
    }
    const char* const behind = reinterpret_cast<const char*>(record + 1);
    const auto* const frames = reinterpret_cast<const uintptr_t*>(behind);
    const auto* const labels =
        reinterpret_cast<const uint8_t*>(behind) + record->frame_count * sizeof(uintptr_t);
    return Sample{.facts = record->facts,
                  .context = {.trace_id = record->trace_id,
                              .span_id = record->span_id,
                              .has_span = record->has_span,
                              .labels = {labels, record->label_bytes}},
                  .frames = {frames, record->frame_count}};
  }
}

void PopSample() {
  const uint64_t tail = g_ring.tail.load(std::memory_order_relaxed);
  Record* const record = At(tail);
  const uint32_t bytes = record->bytes;
  // Any place may become the state of a later record.
  std::memset(static_cast<void*>(record), 0, bytes);
  g_ring.tail.store(tail + bytes, std::memory_order_release);
}

void WaitForSamples(uint64_t timeout_ns) {
  const uint32_t seen = g_ring.wakeups.exchange(0, std::memory_order_acquire);
  if (seen != 0)
    return;
  const timespec timeout = {.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000),
                            .tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000)};
  Futex(FUTEX_WAIT_PRIVATE, 0, &timeout);
}

void WakeReader() {
  if (g_ring.wakeups.exchange(1, std::memory_order_release) == 0)
    Futex(FUTEX_WAKE_PRIVATE, 1, nullptr);
}

void CountLoss(SampleKind kind) {
  // Relaxed: a counter.
  g_ring.losses[static_cast<size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
}

uint64_t TakeLosses(SampleKind kind) {
  return g_ring.losses[static_cast<size_t>(kind)].exchange(0, std::memory_order_relaxed);
}

void ResetRingAfterFork() {
  if (g_ring.memory == nullptr)
    return;
  // Also removes records that other threads of the parent were writing. Zero pages, without
  // touching each.
  madvise(g_ring.memory, g_ring.capacity, MADV_DONTNEED);
  g_ring.head.store(0, std::memory_order_relaxed);
  g_ring.tail.store(0, std::memory_order_relaxed);
  g_ring.wakeups.store(0, std::memory_order_relaxed);
  for (auto& losses : g_ring.losses)
    losses.store(0, std::memory_order_relaxed);
}

}  // namespace flarestack::sdk
