// SPDX-License-Identifier: Apache-2.0
//
// The way of samples from any thread, in signal handlers and hooks, to the profiler's thread. A
// full ring drops samples and counts them; a writer never waits.
//
//   [record][record][padding to the end] ... wraps around; a record is ready once its state says so
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sdk/sample/sample.h"

namespace flarestack::sdk {

// Maps the ring. Returns false if there is no memory.
bool OpenSampleRing(size_t bytes);

// Async-signal-safe. Returns false and counts the loss if there is no room.
bool PushSample(const Sample& sample);

// Whether an allocation may still be pushed: the last eighth is reserved for other kinds.
bool HasRoomForAllocation();

// The oldest sample; its views are valid until PopSample(). For one thread. nullopt: the ring is
// empty, or a writer has not finished its record yet.
std::optional<Sample> PeekSample();
void PopSample();

// Waits until the ring is half full, WakeReader() is called or the time is over.
void WaitForSamples(uint64_t timeout_ns);
void WakeReader();  // async-signal-safe

void CountLoss(SampleKind kind);  // async-signal-safe
uint64_t TakeLosses(SampleKind kind);

// The child of a fork starts with an empty ring.
void ResetRingAfterFork();

}  // namespace flarestack::sdk
