// SPDX-License-Identifier: Apache-2.0
//
// Detects the kind of an OTLP message. All signals share their outer messages: resources, which
// contain scopes, which contain the items.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace flarestack::codec::otlp {

// Whether bytes have the outer messages of OTLP, for any signal. Skips unknown fields. Accepts a
// truncated message if its start is right; the reader reports where it ends.
bool LooksLikeOtlp(std::string_view bytes);

enum class MessageSignal { kProfiles, kTraces, kLogs, kMetrics };
// "traces", ...
std::string_view SignalName(MessageSignal signal);

// The error of a profiles reader that gets another signal.
absl::Status OtherSignalError(MessageSignal signal);

// The signal of a message that looks like OTLP, judged by its first item; profiles if there is
// none.
MessageSignal SignalOf(std::string_view bytes);

// Same for a JSON object, judged by its member names.
MessageSignal SignalOfJson(std::string_view object);

}  // namespace flarestack::codec::otlp
