// SPDX-License-Identifier: Apache-2.0
#include "demo/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "demo/heap.h"
#include "demo/incident.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kEnd = 1'772'366'400'000'000'000;  // 2026-03-01T12:00:00Z

class TimelineTest : public ::testing::Test {
 protected:
  static Timeline Story() { return Timeline({.seed = 1, .end_nanos = kEnd}); }

  // All windows of the forty minutes.
  static const std::vector<Window>& Windows() {
    static const std::vector<Window>* const windows = [] {
      auto* const made = new std::vector<Window>;
      for (uint64_t i = 0; i < kWindowCount; ++i)
        made->push_back(Story().Make(i));
      return made;
    }();
    return *windows;
  }

  template <typename Visit>
  static void ForEachRequest(Visit visit) {
    for (const Window& window : Windows()) {
      for (const Request& request : window.requests)
        visit(window, request);
    }
  }
};

TEST_F(TimelineTest, EventsAreWithinTheirWindowAndSpansWithinTheirParents) {
  std::set<std::string> ids;
  EXPECT_EQ(Windows().front().begin_nanos, Story().begin_nanos());
  EXPECT_EQ(Windows().back().end_nanos(), kEnd);
  ForEachRequest([&](const Window& window, const Request& request) {
    EXPECT_TRUE(ids.insert(request.trace_id).second);
    for (const Span& span : request.spans) {
      EXPECT_TRUE(ids.insert(span.span_id).second);
      EXPECT_GE(span.start_nanos, window.begin_nanos);
      EXPECT_LT(span.end_nanos, window.end_nanos());
      EXPECT_LE(span.start_nanos, span.end_nanos);
      for (const LogLine& line : span.logs) {
        EXPECT_GE(line.time_nanos, span.start_nanos);
        EXPECT_LE(line.time_nanos, span.end_nanos);
      }
      if (span.parent < 0)
        continue;
      const Span& parent = request.spans[static_cast<size_t>(span.parent)];
      EXPECT_LE(parent.start_nanos, span.start_nanos);
      EXPECT_LE(span.end_nanos, parent.end_nanos);
    }
  });
}

TEST_F(TimelineTest, EveryMomentOfASpanIsAccountedFor) {
  ForEachRequest([](const Window&, const Request& request) {
    std::vector<uint64_t> filled(request.spans.size());
    for (size_t i = 0; i < request.spans.size(); ++i) {
      const Span& span = request.spans[i];
      for (const Stretch& stretch : span.stretches) {
        filled[i] += stretch.duration_nanos;
        EXPECT_GE(stretch.start_nanos, span.start_nanos);
        EXPECT_LE(stretch.start_nanos + stretch.duration_nanos, span.end_nanos);
        if (!stretch.is_wait()) {
          EXPECT_EQ(stretch.duration_nanos % kTickNanos, 0u);
        }
      }
      if (span.parent < 0)
        continue;
      const auto parent = static_cast<size_t>(span.parent);
      if (request.spans[parent].process == span.process)
        filled[parent] += span.duration_nanos();
    }
    for (size_t i = 0; i < request.spans.size(); ++i)
      EXPECT_EQ(filled[i], request.spans[i].duration_nanos()) << request.spans[i].name;
  });
}

// A client and its server are a pair: one waits while the other works.
TEST_F(TimelineTest, ServerSpanHasAClientOfAnotherService) {
  ForEachRequest([](const Window&, const Request& request) {
    for (const Span& span : request.spans) {
      if (span.kind != model::SpanKind::kServer || span.parent < 0)
        continue;
      const Span& client = request.spans[static_cast<size_t>(span.parent)];
      EXPECT_EQ(client.kind, model::SpanKind::kClient);
      EXPECT_NE(client.process.service, span.process.service);
      EXPECT_EQ(client.name, span.name);
    }
  });
}

TEST_F(TimelineTest, ThreadServesOneRequestAtATime) {
  for (const double speed : {1.0, kSpeedMax}) {
    std::map<std::pair<Process, uint32_t>, uint64_t> busy_until;
    for (uint64_t i = 140; i < 160; ++i) {
      const Window window = Story().Make(i, speed);
      for (const Request& request : window.requests) {
        std::map<std::pair<Process, uint32_t>, uint64_t> ends;
        for (const Span& span : request.spans) {
          const std::pair key(span.process, span.thread);
          EXPECT_LE(busy_until[key], span.start_nanos) << "speed " << speed;
          ends[key] = std::max(ends[key], span.end_nanos);
        }
        for (const auto& [key, end] : ends)
          busy_until[key] = end;
      }
    }
  }
}

TEST_F(TimelineTest, WindowDependsOnlyOnItsNumberAndSeed) {
  const Window again = Story().Make(77);
  ASSERT_EQ(again.requests.size(), Windows()[77].requests.size());
  EXPECT_EQ(again.requests[3].trace_id, Windows()[77].requests[3].trace_id);
  const Window other = Timeline({.seed = 2, .end_nanos = kEnd}).Make(77);
  EXPECT_NE(other.requests[3].trace_id, again.requests[3].trace_id);
  EXPECT_TRUE(Story().Make(kWindowCount + 5, 0).requests.empty());
  EXPECT_EQ(Story().Make(kWindowCount + 5, 3).requests.size(), 30u);
}

struct Costs {
  uint64_t cpu_nanos = 0;
  std::vector<uint64_t> latencies;

  uint64_t P95() {
    std::ranges::sort(latencies);
    return latencies[latencies.size() * 95 / 100];
  }
};

Costs CostsOfCheckout(const std::vector<Window>& windows, uint64_t begin, uint64_t end) {
  Costs costs;
  for (uint64_t i = begin; i < end; ++i) {
    for (const BackgroundTick& tick : windows[i].background)
      costs.cpu_nanos += tick.process.service == Service::kCheckout ? kTickNanos : 0;
    for (const Request& request : windows[i].requests) {
      for (const Span& span : request.spans) {
        if (span.process.service != Service::kCheckout)
          continue;
        for (const Stretch& stretch : span.stretches)
          costs.cpu_nanos += stretch.is_wait() ? 0 : stretch.duration_nanos;
        if (span.kind == model::SpanKind::kServer)
          costs.latencies.push_back(span.duration_nanos());
      }
    }
  }
  return costs;
}

TEST_F(TimelineTest, ReleaseCostsCpuAndLatency) {
  Costs before = CostsOfCheckout(Windows(), 0, kRolloutWindows[0]);
  Costs after = CostsOfCheckout(Windows(), kRolloutWindows[1], kWindowCount);
  const double rise =
      static_cast<double>(after.cpu_nanos) /
      static_cast<double>(kWindowCount - kRolloutWindows[1]) /
      (static_cast<double>(before.cpu_nanos) / static_cast<double>(kRolloutWindows[0]));
  EXPECT_NEAR(rise, 1.4, 0.08);
  // Also includes the first minutes of the rollout, with one instance on each version.
  EXPECT_NEAR(CheckoutCpuRise(Story()), rise - 1, 0.03);
  EXPECT_GT(after.P95(), before.P95() * 13 / 10) << before.P95();
  EXPECT_GT(after.latencies.back(), 600'000'000u);
}

TEST_F(TimelineTest, InventoryCacheGrows) {
  const Process inventory = {.service = Service::kInventory};
  const uint64_t begin = MemoryOf(Story(), inventory, 0);
  const uint64_t end = MemoryOf(Story(), inventory, kWindowCount - 1);
  EXPECT_GT(end, begin + (uint64_t{80} << 20));
  const Process payments = {.service = Service::kPayments};
  EXPECT_NEAR(static_cast<double>(MemoryOf(Story(), payments, kWindowCount - 1)),
              static_cast<double>(MemoryOf(Story(), payments, 0)), 1 << 20);
}

TEST_F(TimelineTest, PaymentsOccasionallyWaitsForALock) {
  size_t charges = 0;
  size_t waits = 0;
  ForEachRequest([&](const Window&, const Request& request) {
    for (const Span& span : request.spans) {
      charges += span.process.service == Service::kPayments ? 1 : 0;
      waits += static_cast<size_t>(
          std::ranges::count(span.stretches, Code::kAwaitLedger, &Stretch::code));
    }
  });
  EXPECT_GT(waits, charges / 50);
  EXPECT_LT(waits, charges / 15);
}

TEST_F(TimelineTest, IncidentIsSlowAfterTheRollout) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Timeline story({.seed = seed, .end_nanos = kEnd});
    const Incident incident = FindIncident(story);
    EXPECT_GT(incident.coupons_nanos, 250'000'000u) << seed;
    EXPECT_GT(incident.start_nanos, story.rollout_nanos());
    EXPECT_LT(incident.start_nanos, story.end_nanos());
    EXPECT_GT(incident.coupons_nanos * 10, incident.duration_nanos * 5);
  }
}

}  // namespace
}  // namespace flarestack::demo
