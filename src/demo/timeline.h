// SPDX-License-Identifier: Apache-2.0
//
// The timeline of the story: forty minutes in windows of ten seconds, and any number of windows
// after them. After twenty-five minutes a new version of checkout is rolled out, first to one
// instance and then to the other.
//
// Each window is generated independently, and everything in it begins and ends in it. The same seed
// and the same end give the same windows.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/request.h"
#include "demo/shop.h"

namespace flarestack::demo {

inline constexpr uint64_t kWindowNanos = 10'000'000'000;
inline constexpr uint64_t kWindowCount = 240;
inline constexpr uint64_t kStoryNanos = kWindowCount * kWindowNanos;

// The window in which an instance of checkout gets the new version.
inline constexpr uint64_t kRolloutWindows[] = {150, 153};

// At a higher speed, a thread would get a request while it serves another.
inline constexpr double kSpeedMax = 8;

struct StoryOptions {
  uint64_t seed = 1;
  uint64_t end_nanos = 0;  // of the forty minutes
};

// One tick of work that belongs to no request, such as garbage collection.
struct BackgroundTick {
  Process process;
  uint64_t time_nanos = 0;
  const WeightedStack* stack = nullptr;
};

struct Window {
  uint64_t index = 0;
  uint64_t begin_nanos = 0;
  std::vector<Process> processes;  // all running processes, in order
  std::vector<Request> requests;
  std::vector<BackgroundTick> background;

  uint64_t end_nanos() const { return begin_nanos + kWindowNanos; }
};

class Timeline {
 public:
  explicit Timeline(const StoryOptions& options) : options_(options) {}

  uint64_t begin_nanos() const { return options_.end_nanos - kStoryNanos; }
  uint64_t end_nanos() const { return options_.end_nanos; }
  uint64_t WindowBegin(uint64_t index) const { return begin_nanos() + index * kWindowNanos; }
  uint64_t rollout_nanos() const { return WindowBegin(kRolloutWindows[0]); }
  uint64_t seed() const { return options_.seed; }

  // Windows from kWindowCount on come after the forty minutes. `speed` is the number of requests
  // per second: 0 makes none, and kSpeedMax is the cap.
  Window Make(uint64_t index, double speed = 1) const;

 private:
  StoryOptions options_;
};

}  // namespace flarestack::demo
