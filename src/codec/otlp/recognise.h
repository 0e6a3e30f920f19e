// SPDX-License-Identifier: Apache-2.0
//
// What kind of OTLP message some bytes are. All signals share their outer messages: resources, in
// them scopes, in them what was measured.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace flarestack::codec::otlp {

// Whether bytes have the outer messages of OTLP, of any signal. Fields that no version knows are
// passed over. A message that is cut short is taken when its start was right: the reader says where
// it ends.
bool LooksLikeOtlp(std::string_view bytes);

// For a reader of profiles.
absl::Status OtherSignalError(model::Signal signal);

// The signal of a message that looks like OTLP, by its first item; profiles where there is none.
model::Signal SignalOf(std::string_view bytes);

// The same for a JSON object, by the name of its members.
model::Signal SignalOfJson(std::string_view object);

}  // namespace flarestack::codec::otlp
