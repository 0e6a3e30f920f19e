// SPDX-License-Identifier: Apache-2.0
//
// Estimates the memory needed to process an OTLP request, from recent requests of the same signal
// and encoding: a list of events needs three times its bytes, a dictionary of short names thirty
// times.
//
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "model/signal.h"
#include "pipeline/receivers/otlp_receiver.h"

namespace flarestack::server {

class WorkMemory {
 public:
  // Includes the body.
  uint64_t NeedOf(model::Signal signal, pipeline::Encoding encoding, uint64_t body_bytes) const;

  // Records that a message of `body_bytes` needed `memory_bytes` in addition.
  void Note(model::Signal signal, pipeline::Encoding encoding, uint64_t body_bytes,
            uint64_t memory_bytes);

 private:
  static constexpr size_t kEncodings = 2;
  // A slowly decaying maximum, in sixteenths of the body size; 0: no message yet.
  std::array<std::array<std::atomic<uint32_t>, kEncodings>, model::kSignals.size()> factors_ = {};
};

}  // namespace flarestack::server
