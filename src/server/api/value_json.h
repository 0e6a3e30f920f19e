// SPDX-License-Identifier: Apache-2.0
//
// Values of telemetry as JSON. A point in time is ns since the epoch as text, because numbers of
// that size lose digits in JavaScript; durations and offsets are numbers.
#pragma once

#include <string>
#include <string_view>

#include "model/signal_batch.h"
#include "model/trace.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

Json TimeJson(uint64_t nanos);

// Null for what JSON has no number for; whole numbers without a fraction.
Json NumberJson(double number);

// Bytes as hexadecimal digits; arrays and key-value lists as what they are.
Json ValueJson(const model::SignalBatch& batch, const model::AnyValue& value);

// An object; of a key that is there twice the last one counts.
Json AttributesJson(const model::SignalBatch& batch, model::Slice attributes);

// "server", "error"; a number where there is no name.
std::string KindText(model::SpanKind kind);
std::string StatusText(model::SpanStatusCode status);

}  // namespace flarestack::server::api
