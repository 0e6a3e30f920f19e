// SPDX-License-Identifier: Apache-2.0
//
// Traces as text for tests, one span per line: service, id, id of the parent or -, start, end, and
// the word `consumer` if it is one.
//
//   shop  a  -    0  100
//   cart  b  a   10   40
#pragma once

#include <string_view>

#include "model/trace.h"

namespace flarestack::query::testing {

model::TraceBatch TraceFromText(std::string_view text);

}  // namespace flarestack::query::testing
