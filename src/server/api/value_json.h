// SPDX-License-Identifier: Apache-2.0
//
// Telemetry values as JSON. A point in time is a string of ns since the epoch, because JavaScript
// loses digits of such large numbers; durations and offsets are numbers.
#pragma once

#include <string>
#include <string_view>

#include "model/signal_batch.h"
#include "model/trace.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

Json TimeJson(uint64_t nanos);

// Integers without a fraction; null for values that JSON cannot represent.
Json NumberJson(double number);

// Bytes as hexadecimal digits; arrays and key-value lists as JSON arrays and objects.
Json ValueJson(const model::SignalBatch& batch, const model::AnyValue& value);

// An object. If a key is repeated, the last value wins.
Json AttributesJson(const model::SignalBatch& batch, model::Slice attributes);

// "server", "error"; the number if it has no name.
std::string KindText(model::SpanKind kind);
std::string StatusText(model::SpanStatusCode status);

}  // namespace flarestack::server::api
