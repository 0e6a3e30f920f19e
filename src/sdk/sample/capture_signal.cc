// SPDX-License-Identifier: Apache-2.0
#include "sdk/sample/capture_signal.h"

#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>

#include "sdk/context/own_context_signal.h"
#include "sdk/sample/sample_ring_signal.h"
#include "sdk/thread_state.h"

namespace flarestack::sdk {
namespace {

// Frames do not fit on the alternate stacks that some programs give to their signal handlers.
struct Scratch {
  std::atomic<bool> is_taken;
  std::array<uintptr_t, kFramesMax> frames;
};
constexpr size_t kScratchCount = 32;  // samples taken at the same moment
std::atomic<Scratch*> g_scratch = nullptr;

Scratch* TakeScratch(pid_t tid) {
  Scratch* const all = g_scratch.load(std::memory_order_acquire);
  if (all == nullptr)
    return nullptr;
  for (size_t i = 0; i < kScratchCount; ++i) {
    Scratch& one = all[(static_cast<size_t>(tid) + i) % kScratchCount];
    if (!one.is_taken.exchange(true, std::memory_order_acquire))
      return &one;
  }
  return nullptr;
}

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

bool OpenCapture() {
  if (g_scratch.load(std::memory_order_acquire) != nullptr)
    return true;
  void* const memory = mmap(nullptr, sizeof(Scratch) * kScratchCount, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  g_scratch.store(static_cast<Scratch*>(memory), std::memory_order_release);
  return true;
}

bool CaptureSample(Registers registers, SampleFacts facts) {
  facts.tid = ThreadId();
  Scratch* const scratch = TakeScratch(facts.tid);
  if (scratch == nullptr) {
    CountLoss(facts.kind);
    return false;
  }
  facts.time_ns = NowNs();
  const Walk walk = WalkStack(registers, scratch->frames);
  facts.walk_end = walk.end;
  const Sample sample = {.facts = facts,
                         .context = ReadOwnContext(),
                         .frames = {scratch->frames.data(), walk.frame_count}};
  const bool is_pushed = PushSample(sample);
  scratch->is_taken.store(false, std::memory_order_release);
  return is_pushed;
}

void ResetCaptureAfterFork() {
  Scratch* const all = g_scratch.load(std::memory_order_acquire);
  for (size_t i = 0; all != nullptr && i < kScratchCount; ++i)
    all[i].is_taken.store(false, std::memory_order_relaxed);
}

}  // namespace flarestack::sdk
