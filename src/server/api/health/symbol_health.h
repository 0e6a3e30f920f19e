// SPDX-License-Identifier: Apache-2.0
//
// Explains why frames have no names, and how to fix it.
#pragma once

#include <string>
#include <string_view>

#include "query/reports/nameless_costs.h"
#include "server/api/endpoint.h"
#include "symbol/symbolizer.h"

namespace flarestack::server::api {

// "waiting", "ready", "missing", "failed" or "unknown".
std::string_view StateName(symbol::ModuleState::Kind kind);

// The attempts to find a module's symbols, in order.
Json AttemptsJson(const symbol::ModuleState& state);

struct NamelessReason {
  std::string reason;
  std::string fix;
};
NamelessReason ReasonFor(const symbol::Module& module, const symbol::ModuleState& state);

// One row of the response; `total` is the total of all stacks.
Json NamelessJson(const query::NamelessModule& module, const symbol::ModuleState& state,
                  int64_t total);

}  // namespace flarestack::server::api
