// SPDX-License-Identifier: Apache-2.0
//
// A batch as ProfilesData (the same bytes as ExportProfilesServiceRequest) in today's layout.
// Fields ascend, defaults are left out, lists are packed: the same batch gives the same bytes.
#pragma once

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "codec/wire/reverse_writer.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Appends the message to `out`, which is written from its end.
void EncodeProtobuf(const model::Batch& batch, wire::ReverseWriter* out);

// About how many bytes that will be; never too few by much.
size_t EstimateProtobufBytes(const model::Batch& batch);

}  // namespace flarestack::codec::otlp
