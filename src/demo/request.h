// SPDX-License-Identifier: Apache-2.0
//
// One request through the shop: its spans, and what the threads did in every moment of them. All
// four signals are made from these, so that they agree.
//
// Of each span holds: its stretches and the spans below it in the same process fill its time
// without a gap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/attribute.h"
#include "demo/code/shop_code.h"
#include "demo/shop.h"
#include "model/log.h"
#include "model/trace.h"

namespace flarestack::demo {

// The sampling period. Work comes in whole ticks, so that samples add up to what was spent.
inline constexpr uint64_t kTickNanos = 4'000'000;

// No request takes longer.
inline constexpr uint64_t kRequestNanosMax = 2'000'000'000;

// One thread with one thing to do, or to wait for.
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
  int32_t parent = -1;  // in Request::spans; -1: none
  Process process;
  uint32_t thread = 0;
  std::string name;
  model::SpanKind kind = model::SpanKind::kInternal;
  uint64_t start_nanos = 0;
  uint64_t end_nanos = 0;
  std::string error;  // empty: it went well
  Attributes attributes;
  std::vector<Event> events;
  std::vector<LogLine> logs;
  std::vector<Stretch> stretches;

  uint64_t duration_nanos() const { return end_nanos - start_nanos; }
};

struct Request {
  std::string trace_id;
  std::vector<Span> spans;  // a parent before its children; the first is the root

  uint64_t end_nanos() const { return spans.front().end_nanos; }
  void MoveBy(uint64_t nanos);
};

// Who serves it.
struct Servers {
  Process storefront;
  Process checkout;
  Process inventory;
  Process payments;
  Process recommendations;
  uint32_t thread = 0;
};

// The request of a stream of chance; it begins at 0.
Request MakeRequest(const Servers& servers, Random random);

}  // namespace flarestack::demo
