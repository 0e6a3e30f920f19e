// SPDX-License-Identifier: Apache-2.0
//
// What OTLP requests take while they are worked on, learned from the last ones: a list of events
// takes three times its bytes, a dictionary of short names thirty times. Each kind of message is
// known by its signal and encoding.
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
  // With the body itself.
  uint64_t NeedOf(model::Signal signal, pipeline::Encoding encoding, uint64_t body_bytes) const;

  // A message of `body_bytes` took so many more.
  void Note(model::Signal signal, pipeline::Encoding encoding, uint64_t body_bytes,
            uint64_t memory_bytes);

 private:
  static constexpr size_t kEncodings = 2;
  // In sixteenths of the body; 0: none came yet. A large one among the last ones.
  std::array<std::array<std::atomic<uint32_t>, kEncodings>, model::kSignals.size()> factors_ = {};
};

}  // namespace flarestack::server
