// SPDX-License-Identifier: Apache-2.0
//
// A batch of profiles as one line per event, sorted: used to compare input and output.
//
//   service.name=cart cpu:nanoseconds profile=1000+50 main;run {thread.id=7} link=0102 @1010 5
#pragma once

#include <string>
#include <vector>

#include "model/batch.h"

namespace flarestack::store::testing {

std::vector<std::string> EventLines(const model::Batch& batch);

// Stacks root first with their weight: "main;run 12", summed over all profiles, sorted.
std::string FoldedText(const model::Batch& batch);

// One profile, made from lines like "main;run @1010 5 thread=t1 link=7": the stack, then in any
// order times (ns), one value, attributes of the sample, and a number from which trace and span id
// are made.
struct TextProfile {
  std::string service = "cart";
  std::string version = {};  // service.version
  std::string type = "cpu";
  std::string unit = "nanoseconds";
  int64_t period = 0;
  uint64_t time = 1000;
  uint64_t duration = 100;
  std::string profile_id;
  std::vector<std::string> lines;
};
model::Batch MakeBatch(const std::vector<TextProfile>& profiles);

std::string TraceId(uint32_t number);
std::string SpanId(uint32_t number);

}  // namespace flarestack::store::testing
