// SPDX-License-Identifier: Apache-2.0
#include "demo/timeline.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kRequestsMax = 1000;  // per window; more than kSpeedMax produces

Process ProcessIn(Service service, uint32_t instance, uint64_t window) {
  return {.service = service,
          .instance = instance,
          .is_new_version = service == Service::kCheckout && window >= kRolloutWindows[instance]};
}

// Requests go round-robin to the instances and their threads, so that no thread serves two at once.
Servers ServersOf(uint64_t window, uint64_t number) {
  const auto instance = [&](Service service) {
    return ProcessIn(service, static_cast<uint32_t>(number % FactsOf(service).instance_count),
                     window);
  };
  return {.storefront = instance(Service::kStorefront),
          .checkout = instance(Service::kCheckout),
          .inventory = instance(Service::kInventory),
          .payments = instance(Service::kPayments),
          .recommendations = instance(Service::kRecommendations),
          .thread = static_cast<uint32_t>(number % kWorkers)};
}

void AddBackground(const Process& process, Random* random, Window* window) {
  const ServiceFacts& facts = FactsOf(process.service);
  const double seconds = static_cast<double>(kWindowNanos / base::kNanosPerSecond);
  const uint64_t count = random->Count(random->Spread(facts.background_ticks * seconds));
  for (uint64_t i = 0; i < count; ++i) {
    // One thread does it, one tick after another.
    const uint64_t part = kWindowNanos / count;
    window->background.push_back(
        {.process = process,
         .time_nanos = window->begin_nanos + i * part + random->Below(part),
         .stack = &TreeOf(facts.background).Pick(random)});
  }
}

}  // namespace

Window Timeline::Make(uint64_t index, double speed) const {
  Window window = {.index = index, .begin_nanos = WindowBegin(index)};
  for (const Service service : kServices) {
    for (uint32_t i = 0; i < FactsOf(service).instance_count; ++i)
      window.processes.push_back(ProcessIn(service, i, index));
  }
  Random random(seed(), "window", index);
  const double seconds = static_cast<double>(kWindowNanos / base::kNanosPerSecond);
  const auto count = static_cast<uint64_t>(std::lround(std::min(speed, kSpeedMax) * seconds));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t part = kWindowNanos / count;
    const uint64_t number = index * count + i;
    Request request =
        MakeRequest(ServersOf(index, number), Random(seed(), "request", index * kRequestsMax + i));
    // The last requests start a little earlier, so that they end within the window.
    const uint64_t latest = kWindowNanos - request.end_nanos() - 1;
    const uint64_t start = std::min(i * part + random.Below(part), latest);
    request.MoveBy(window.begin_nanos + start);
    window.requests.push_back(std::move(request));
  }
  for (const Process& process : window.processes)
    AddBackground(process, &random, &window);
  return window;
}

}  // namespace flarestack::demo
