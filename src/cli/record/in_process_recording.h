// SPDX-License-Identifier: Apache-2.0
//
// `record --in-process`: runs a command with libflarestack_preload.so, which writes profiles to a
// folder of ours. Needs no privileges, and sees the heap.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "cli/terminal/child_command.h"
#include "cli/terminal/stop_signals.h"
#include "model/batch.h"

namespace flarestack::cli {

struct InProcessOptions {
  std::vector<std::string> command;
  std::vector<std::string> events;  // cpu, alloc, heap; empty: cpu
  uint32_t frequency_hz = 99;
  std::optional<std::chrono::nanoseconds> duration_max;
};

// Whether -e names this one.
bool IsInProcessEvent(const std::string& event);

class InProcessRecording {
 public:
  // Fails if the library is not installed, or the command cannot load it.
  static absl::StatusOr<std::unique_ptr<InProcessRecording>> Create(InProcessOptions options);
  ~InProcessRecording();

  // Runs the command until it ends, the duration is over or the user stops.
  absl::Status Run(const StopRequest& stop);

  // What was recorded. Of the live heap, the last state of each process. kNotFound: nothing was.
  absl::StatusOr<model::Batch> Collect(base::Warnings* warnings) const;

  std::optional<int> exit_code() { return child_.has_value() ? child_->Ended() : std::nullopt; }
  std::chrono::steady_clock::duration took() const { return took_; }

 private:
  explicit InProcessRecording(InProcessOptions options) : options_(std::move(options)) {}

  absl::Status Start(const std::string& library);

  InProcessOptions options_;
  std::string folder_;
  std::optional<ChildCommand> child_;
  std::chrono::steady_clock::duration took_{0};
};

}  // namespace flarestack::cli
