// SPDX-License-Identifier: Apache-2.0
#include "demo/heap.h"

#include <algorithm>

namespace flarestack::demo {
namespace {

constexpr double kMebibyte = 1 << 20;
// The cache starts at 24 MiB, grows by 96 MiB over the story, and stops growing at kCacheFull.
constexpr double kCacheBegin = 24 * kMebibyte;
constexpr double kCacheGrowth = 96 * kMebibyte / kWindowCount;
constexpr double kCacheFull = 480 * kMebibyte;

struct Heap {
  Code code;
  double inuse_bytes;
  double alloc_bytes;  // per minute
  double object_bytes;
};

double CacheBytes(uint64_t window) {
  return std::min(kCacheFull, kCacheBegin + kCacheGrowth * static_cast<double>(window));
}

std::vector<Heap> HeapsOf(Service service, uint64_t window) {
  switch (service) {
    case Service::kStorefront:
      return {{Code::kStorefrontHeap, 38 * kMebibyte, 90 * kMebibyte, 320}};
    case Service::kCheckout:
      return {{Code::kCheckoutHeap, 21 * kMebibyte, 46 * kMebibyte, 144}};
    case Service::kInventory:
      return {{Code::kInventoryHeap, 52 * kMebibyte, 120 * kMebibyte, 96},
              {Code::kInventoryCache, CacheBytes(window),
               kCacheGrowth * static_cast<double>(kHeapWindows), 208}};
    case Service::kPayments:
      return {{Code::kPaymentsHeap, 9 * kMebibyte, 31 * kMebibyte, 512}};
    case Service::kRecommendations:
      return {{Code::kRecommendationsHeap, 86 * kMebibyte, 64 * kMebibyte, 4096}};
  }
  return {};
}

}  // namespace

std::vector<HeapPart> HeapOf(const Timeline& timeline, const Process& process, uint64_t window) {
  Random random(timeline.seed(), FactsOf(process.service).name, window * 8 + process.instance);
  std::vector<HeapPart> parts;
  for (const Heap& heap : HeapsOf(process.service, window)) {
    const CodeTree& tree = TreeOf(heap.code);
    for (const WeightedStack& stack : tree.stacks) {
      const double share = stack.weight / tree.weight;
      const double sway = random.Between(0.97, 1.03);
      const double objects = heap.inuse_bytes * share * sway / heap.object_bytes;
      parts.push_back({.stack = &stack,
                       .inuse_bytes = static_cast<uint64_t>(heap.inuse_bytes * share * sway),
                       .inuse_objects = static_cast<uint64_t>(objects),
                       .alloc_bytes = static_cast<uint64_t>(heap.alloc_bytes * share * sway)});
    }
  }
  return parts;
}

uint64_t MemoryOf(const Timeline& timeline, const Process& process, uint64_t window) {
  uint64_t bytes = FactsOf(process.service).memory_bytes;
  for (const HeapPart& part : HeapOf(timeline, process, window))
    bytes += part.inuse_bytes;
  return bytes;
}

}  // namespace flarestack::demo
