// SPDX-License-Identifier: Apache-2.0
//
// Detects the signal of an OTLP message. All signals share their outer messages: resources, which
// contain scopes, which contain the items.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {

// Whether bytes have the outer messages of OTLP, for any signal. Skips unknown fields. Accepts a
// truncated message if its start is right; the reader reports where it ends.
bool LooksLikeOtlp(std::string_view bytes);

// The error of a profiles reader for a message of another signal.
absl::Status OtherSignalError(model::Signal signal);

// Returns the signal of a message that looks like OTLP, by its first item; kProfiles without items.
model::Signal SignalOf(std::string_view bytes);

// The same for a JSON object, by the name of its members.
model::Signal SignalOfJson(std::string_view object);

}  // namespace flarestack::codec::otlp
