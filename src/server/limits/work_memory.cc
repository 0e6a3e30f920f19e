// SPDX-License-Identifier: Apache-2.0
#include "server/limits/work_memory.h"

#include "model/signal.h"

#include <algorithm>

namespace flarestack::server {
namespace {

using pipeline::Encoding;

constexpr uint64_t kUnit = 16;
constexpr uint64_t kFirstFactor = 12 * kUnit;
constexpr uint64_t kFactorMin = 3 * kUnit;
constexpr uint64_t kFactorMax = 128 * kUnit;
// Smaller messages say nothing about the ratio.
constexpr uint64_t kMeaningfulBytesMin = 4 << 10;

}  // namespace

uint64_t WorkMemory::NeedOf(model::Signal signal, Encoding encoding, uint64_t body_bytes) const {
  // Relaxed: the estimate guards no other memory.
  const uint64_t noted = factors_[static_cast<size_t>(signal)][static_cast<size_t>(encoding)].load(
      std::memory_order_relaxed);
  const uint64_t factor = noted == 0 ? kFirstFactor : noted;
  return body_bytes + std::min(body_bytes, UINT64_MAX / kFactorMax) * factor / kUnit;
}

void WorkMemory::Note(model::Signal signal, Encoding encoding, uint64_t body_bytes,
                      uint64_t memory_bytes) {
  if (body_bytes < kMeaningfulBytesMin)
    return;
  // Concurrent updates may lose one of the two.
  auto& noted = factors_[static_cast<size_t>(signal)][static_cast<size_t>(encoding)];
  const uint64_t before = noted.load(std::memory_order_relaxed);
  const uint64_t lower = before - (before + kUnit - 1) / kUnit;
  const uint64_t now = std::min(memory_bytes / body_bytes, kFactorMax) * kUnit + kUnit;
  noted.store(static_cast<uint32_t>(
                  std::clamp(std::max(before == 0 ? 0 : lower, now), kFactorMin, kFactorMax)),
              std::memory_order_relaxed);
}

}  // namespace flarestack::server
