// SPDX-License-Identifier: Apache-2.0
//
// Profile samples by the span they are linked to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/batch.h"

namespace flarestack::query {

struct SpanSamples {
  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  uint64_t count = 0;
  int64_t sum = 0;  // saturates
};

// By span id, eight bytes. Each span has one entry per sample type, sorted by type and unit. Skips
// samples without a link.
std::map<std::string, std::vector<SpanSamples>> SamplesBySpan(const model::Batch& batch);

}  // namespace flarestack::query
