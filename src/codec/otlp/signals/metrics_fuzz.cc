// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as metrics, in protobuf and JSON.
#include "codec/otlp/testing/signal_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  flarestack::codec::otlp::SignalFuzz<flarestack::codec::otlp::MetricTraits>::Run(data, size);
  return 0;
}
