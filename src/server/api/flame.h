// SPDX-License-Identifier: Apache-2.0
//
// What costs what: flame graph, sandwich, functions, lines.
//
//   GET /api/v1/flame?q={service.name="cart"}&type=cpu&from=now-1h&f=only:parse
//   GET /api/v1/top     /callers?fn=NAME     /lines?fn=NAME
#pragma once

#include <vector>

#include "query/flame/flame.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

// `min`, `nodes`, `depth`, `root` and `order` of a request, and the parameters that they are.
absl::StatusOr<query::FlameOptions> ReadFlameOptions(const Call& call);
std::vector<Parameter> FlameParameters(std::vector<Parameter> before);

// As bytes where the request accepts them, else as JSON. `head` goes before the tree in JSON.
Answer FlameAnswer(const Call& call, const query::Flame& flame, Json head);

}  // namespace flarestack::server::api
