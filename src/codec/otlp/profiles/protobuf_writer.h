// SPDX-License-Identifier: Apache-2.0
//
// Writes a batch as ProfilesData (the same bytes as ExportProfilesServiceRequest) in the current
// layout. Fields are in ascending order, defaults are omitted, lists are packed: the same batch
// gives the same bytes.
#pragma once

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "codec/wire/reverse_writer.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Appends the message to `out`, which is written from its end.
void EncodeProtobuf(const model::Batch& batch, wire::ReverseWriter* out);

// Estimates the size of the message. The estimate is never much too small.
size_t EstimateProtobufBytes(const model::Batch& batch);

}  // namespace flarestack::codec::otlp
