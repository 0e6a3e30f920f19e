// SPDX-License-Identifier: Apache-2.0
//
// Profiles of spans: which samples belong to a span, by their ids or, if senders provide none, by
// thread and time.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class SpanReach {
  kSelf,      // samples linked to the span
  kChildren,  // and those linked to its descendants in the same process
  kThread,    // samples of its thread, or else its process, while it ran: a guess by time
};

// Narrows a scope to a trace (if the span id is empty) or a span. Returns kNotFound if kChildren or
// kThread need the span and it is not stored.
absl::Status LimitToSpan(const DataSource& source, const store::SpanRef& span, SpanReach reach,
                         ProfileScope* scope);

// Narrows a scope to the spans with this name that its selector and range accept; the latest ones
// if there are many. Returns kNotFound if there are none.
absl::Status LimitToSpansNamed(const DataSource& source, std::string_view name,
                               ProfileScope* scope);

}  // namespace flarestack::query
