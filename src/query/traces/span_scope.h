// SPDX-License-Identifier: Apache-2.0
//
// Profiles of spans: which samples belong to a span, by their ids or, where senders give none, by
// thread and time.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class SpanReach {
  kSelf,      // samples that carry the span
  kChildren,  // and those that carry spans below it in the same process
  kThread,    // what its thread, or else its process, did while it ran: a guess by time
};

// Narrows a scope to a trace (an empty span id) or a span. kNotFound where kChildren or kThread
// need to know the span and it is not stored.
absl::Status LimitToSpan(store::Store* store, const store::SpanRef& span, SpanReach reach,
                         ProfileScope* scope);

// To the spans of a name that the selector and range of the scope let through; the latest ones
// where there are many. kNotFound where there are none.
absl::Status LimitToSpansNamed(store::Store* store, std::string_view name, ProfileScope* scope);

}  // namespace flarestack::query
