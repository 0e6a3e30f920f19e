// SPDX-License-Identifier: Apache-2.0
//
// The one interface between stages: receivers, processors, exporters and the store all accept
// batches through it, so each can be tested alone and none depends on another.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::model {

// The part that a sink rejected of a batch it accepted.
struct Pushed {
  uint64_t rejected = 0;  // profiles or data points
  std::string reason;     // a sentence for the sender
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Returns OK once the sink is responsible for the batch; the batch is not needed after the call.
  // The status code decides about retries on the wire: kInvalidArgument is final, kUnavailable and
  // kResourceExhausted may be retried.
  [[nodiscard]] virtual absl::StatusOr<Pushed> Push(const Batch& batch) = 0;
  [[nodiscard]] virtual absl::Status Push(const TraceBatch& batch) = 0;
  [[nodiscard]] virtual absl::Status Push(const LogBatch& batch) = 0;
  [[nodiscard]] virtual absl::StatusOr<Pushed> Push(const MetricBatch& batch) = 0;
};

}  // namespace flarestack::model
