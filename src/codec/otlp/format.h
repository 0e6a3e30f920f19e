// SPDX-License-Identifier: Apache-2.0
//
// OTLP profiles as files: bare protobuf, length-prefixed protobuf messages as written by the
// Collector's file exporter, and JSON (one object or one per line).
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::otlp {

extern const Reader kOtlpReader;
extern const Reader kFramedOtlpReader;
extern const Reader kOtlpJsonReader;
extern const Writer kOtlpWriter;
extern const Writer kOtlpJsonWriter;

}  // namespace flarestack::codec::otlp
