// SPDX-License-Identifier: Apache-2.0
//
// Checks responses of the API against the schemas of the OpenAPI document. Strict: a field that is
// missing in the schema is a problem too, so that the document stays complete.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/api/endpoint.h"
#include "server/api/schema/schema.h"

namespace flarestack::server::api::testing {

// One line per problem, such as "rows[0].self: integer expected, found \"5\""; empty if there is
// none. At most a few lines.
std::string CheckValue(const nlohmann::ordered_json& value, const schema::Schema& schema);
// The same for a named schema, with `meta` and `empty` if it is a response.
std::string CheckValue(const nlohmann::ordered_json& value, std::string_view name);

// What a client sent and received.
struct Exchange {
  std::string_view method = "GET";
  std::string_view path;  // with or without a query: "/api/v1/top?limit=1"
  int status = 0;
  std::string_view content_type;
  std::string_view body;
};

// Returns the endpoint of a request, or null if it is not part of the API. Lives as long as the
// program.
const Endpoint* FindEndpoint(std::string_view method, std::string_view path);

// Checks the content type of a response, and its body against the schemas of its endpoint or the
// error schema. Returns the problems; empty for paths outside the API, and for statuses without a
// body. Thread-safe.
std::string CheckExchange(const Exchange& exchange);

}  // namespace flarestack::server::api::testing
