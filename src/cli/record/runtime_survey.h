// SPDX-License-Identifier: Apache-2.0
//
// Records this host for a moment, to see which language runtimes use the CPU and how well their
// stacks are unwound and named.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "model/batch.h"

namespace flarestack::cli {

struct RuntimeShare {
  std::string runtime;  // name and version: "cpython 3.11.2"
  uint64_t processes = 0;
  uint64_t samples = 0;
  uint64_t samples_complete = 0;  // unwound to the outermost frame
  uint64_t frames = 0;            // of the language, over all samples
  uint64_t frames_named = 0;
  std::map<std::string, uint64_t> reasons;  // of incomplete samples
};

struct RuntimeSurvey {
  std::chrono::milliseconds duration{0};
  uint64_t samples = 0;                // of all processes
  std::vector<RuntimeShare> runtimes;  // the one with most samples first
  std::vector<std::string> problems;   // runtimes that are not supported, and why
};

// Returns the error of the recorder if it cannot start. Stops early if `may_continue` returns
// false. The first second is not counted: the recorder has just met the processes.
absl::StatusOr<RuntimeSurvey> SurveyRuntimes(std::chrono::milliseconds duration,
                                             absl::FunctionRef<bool()> may_continue);

// Fills in `samples` and `runtimes` from a batch of the recorder.
void CountRuntimes(const model::Batch& batch, RuntimeSurvey* survey);

}  // namespace flarestack::cli
