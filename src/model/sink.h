// SPDX-License-Identifier: Apache-2.0
//
// The one interface between stages: a receiver, a processor, an exporter and the store all take
// batches this way, so each can be run alone in a test and none drags another in.
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

// What a sink did not take of a batch that it took otherwise.
struct Pushed {
  uint64_t rejected = 0;  // profiles or points
  std::string reason;     // a sentence for the sender
};

class Sink {
 public:
  virtual ~Sink() = default;

  // OK once the batch is the sink's responsibility; the batch is not needed after the call. The
  // code decides about retry at the wire: kInvalidArgument is final, kUnavailable and
  // kResourceExhausted may be tried again.
  [[nodiscard]] virtual absl::StatusOr<Pushed> Push(const Batch& batch) = 0;
  [[nodiscard]] virtual absl::Status Push(const TraceBatch& batch) = 0;
  [[nodiscard]] virtual absl::Status Push(const LogBatch& batch) = 0;
  [[nodiscard]] virtual absl::StatusOr<Pushed> Push(const MetricBatch& batch) = 0;
};

}  // namespace flarestack::model
