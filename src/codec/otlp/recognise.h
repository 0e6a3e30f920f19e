// SPDX-License-Identifier: Apache-2.0
//
// Detects the kind of an OTLP message. All signals share their outer messages: resources, which
// contain scopes, which contain the items.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {

// Whether bytes have the outer messages of OTLP, for any signal. Skips unknown fields. Accepts a
// truncated message if its start is right; the reader reports where it ends.
bool LooksLikeOtlp(std::string_view bytes);

// For a reader of profiles.
absl::Status OtherSignalError(model::Signal signal);

// The signal of a message that looks like OTLP, by its first item; profiles where there is none.
model::Signal SignalOf(std::string_view bytes);

// The same for a JSON object, by the name of its members.
model::Signal SignalOfJson(std::string_view object);

}  // namespace flarestack::codec::otlp
