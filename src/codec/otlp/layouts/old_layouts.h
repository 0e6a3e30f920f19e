// SPDX-License-Identifier: Apache-2.0
//
// Converts messages of opentelemetry-proto 1.7 and older to the current model: a window of
// location_indices becomes a stack, several sample types become several profiles, flags and
// comments become pprof.* attributes, and units that were given per key move to the attributes.
// Private to codec/otlp: use protobuf_reader.h.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/layout.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// `layout` is kUpTo15, k16 or k17. The batch owns its text. Returns kInvalidArgument with the path
// of a bad index.
absl::StatusOr<model::Batch> DecodeOldLayout(std::string_view bytes, Layout layout,
                                             const Limits& limits);

}  // namespace flarestack::codec::otlp
