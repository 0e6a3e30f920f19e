// SPDX-License-Identifier: Apache-2.0
//
// Writes a batch as OTLP/JSON: one compact ProfilesData object in the order of the field numbers,
// without a newline at the end. The same batch always gives the same bytes.
#pragma once

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Writes in pieces of about 64 KiB. Indices are written unchanged, valid or not. profileId is
// written as hexadecimal digits, because the OpenTelemetry Collector reads no other form. Invalid
// UTF-8 is replaced with U+FFFD. Returns only errors of `write`.
absl::Status EncodeJson(const model::Batch& batch, WriteBytes write);

}  // namespace flarestack::codec::otlp
