// SPDX-License-Identifier: Apache-2.0
//
// Why some frames have no names, in words, and what helps.
#pragma once

#include <string>
#include <string_view>

#include "query/reports/nameless_costs.h"
#include "server/api/endpoint.h"
#include "symbol/symbolizer.h"

namespace flarestack::server::api {

// "waiting", "ready", "missing", "failed" or "unknown".
std::string_view StateName(symbol::ModuleState::Kind kind);

// What was tried for a module, in order.
Json AttemptsJson(const symbol::ModuleState& state);

struct NamelessReason {
  std::string reason;
  std::string fix;
};
NamelessReason ReasonFor(const symbol::Module& module, const symbol::ModuleState& state);

// One row of the answer; `total` is that of all stacks.
Json NamelessJson(const query::NamelessModule& module, const symbol::ModuleState& state,
                  int64_t total);

}  // namespace flarestack::server::api
