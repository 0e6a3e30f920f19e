// SPDX-License-Identifier: Apache-2.0
//
// A batch out as OTLP/JSON: one ProfilesData object, compact, in the order of the field numbers,
// without a newline at the end. The same batch always gives the same bytes.
#pragma once

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// In pieces of about 64 KiB. Indices are written as they are, valid or not. profileId is written as
// hexadecimal digits, because the OpenTelemetry Collector reads nothing else. Text that is not
// valid UTF-8 is mended with U+FFFD. The one possible error is the one of `write`.
absl::Status EncodeJson(const model::Batch& batch, WriteBytes write);

}  // namespace flarestack::codec::otlp
