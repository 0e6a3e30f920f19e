// SPDX-License-Identifier: Apache-2.0
//
// One request through the shop: its spans, and the activity of the threads at every moment of them.
// All four signals are derived from these, so they agree.
//
// The stretches of a span and its child spans in the same process fill its time without a gap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/code/shop_code.h"
#include "demo/shop.h"
#include "model/log.h"
#include "model/trace.h"

namespace flarestack::demo {

// The sampling period. Work is in whole ticks, so that samples add up to the time spent.
inline constexpr uint64_t kTickNanos = 4'000'000;

// The upper limit for the duration of a request.
inline constexpr uint64_t kRequestNanosMax = 2'000'000'000;

// A period in which one thread does one kind of work, or waits for one thing.
struct Stretch {
  Code code;
  uint64_t start_nanos = 0;
  uint64_t duration_nanos = 0;

  bool is_wait() const { return !WaitStateOf(code).empty(); }
};

struct Event {
  std::string_view name;
  uint64_t time_nanos = 0;
  Attributes attributes;
};

struct LogLine {
  uint64_t time_nanos = 0;
  model::SeverityNumber severity = model::SeverityNumber::kInfo;
  std::string body;
  Attributes attributes;
};

struct Span {
  std::string span_id;
  int32_t parent = -1;  // in Request::spans; -1 if none
  Process process;
  uint32_t thread = 0;
  std::string name;
  model::SpanKind kind = model::SpanKind::kInternal;
  uint64_t start_nanos = 0;
  uint64_t end_nanos = 0;
  std::string error;  // empty on success
  Attributes attributes;
  std::vector<Event> events;
  std::vector<LogLine> logs;
  std::vector<Stretch> stretches;

  uint64_t duration_nanos() const { return end_nanos - start_nanos; }
};

struct Request {
  std::string trace_id;
  std::vector<Span> spans;  // parents before children; the first is the root

  uint64_t end_nanos() const { return spans.front().end_nanos; }
  void MoveBy(uint64_t nanos);
};

// The processes that serve a request.
struct Servers {
  Process storefront;
  Process checkout;
  Process inventory;
  Process payments;
  Process recommendations;
  uint32_t thread = 0;
};

// Makes the request that `random` determines. It begins at time 0.
Request MakeRequest(const Servers& servers, Random random);

}  // namespace flarestack::demo
