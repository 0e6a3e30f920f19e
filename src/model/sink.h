// SPDX-License-Identifier: Apache-2.0
//
// The one interface between stages: a recorder, a processor, an exporter and the store all take
// batches this way, so each can be run alone in a test and none drags another in.
#pragma once

#include "absl/status/status.h"
#include "model/batch.h"

namespace flarestack::model {

class Sink {
 public:
  virtual ~Sink() = default;

  // OK once the batch is the sink's responsibility. The code decides about retry at the wire:
  // kInvalidArgument is final, kUnavailable and kResourceExhausted may be tried again.
  [[nodiscard]] virtual absl::Status Push(Batch batch) = 0;
};

}  // namespace flarestack::model
