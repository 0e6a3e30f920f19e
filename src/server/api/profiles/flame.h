// SPDX-License-Identifier: Apache-2.0
//
// Cost by function and line: flame graph, sandwich, functions, lines.
//
//   GET /api/v1/flame?q={service.name="cart"}&type=cpu&from=now-1h&f=only:parse
//   GET /api/v1/top     /callers?fn=NAME     /lines?fn=NAME
#pragma once

#include <vector>

#include "query/flame/flame.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

// Reads `min`, `nodes`, `depth`, `root` and `order` of a request. FlameParameters declares them for
// the endpoint table.
absl::StatusOr<query::FlameOptions> ReadFlameOptions(const Call& call);
std::vector<Parameter> FlameParameters(std::vector<Parameter> before);

// Binary if the request accepts it, else JSON. In JSON, `head` comes before the tree.
Answer FlameResponse(const Call& call, const query::Flame& flame, Json head);

}  // namespace flarestack::server::api
