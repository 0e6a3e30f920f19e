// SPDX-License-Identifier: Apache-2.0
//
// Whether responses of the API have the shapes that the OpenAPI document gives them. Strict: a
// field that a schema does not have is a problem too, so that the document cannot fall behind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/api/endpoint.h"
#include "server/api/schema.h"

namespace flarestack::server::api::testing {

// One line per problem, such as "rows[0].self: integer expected, found \"5\""; empty if there is
// none. At most a few lines.
std::string CheckValue(const nlohmann::ordered_json& value, const schema::Schema& schema);
// Of a named schema, with `meta` and `empty` if it is a response.
std::string CheckValue(const nlohmann::ordered_json& value, std::string_view name);

// What a client sent and received.
struct Exchange {
  std::string_view method = "GET";
  std::string_view path;  // with or without a query: "/api/v1/top?limit=1"
  int status = 0;
  std::string_view content_type;
  std::string_view body;
};

// The endpoint that a request is for; null: none of the API. Lives as long as the program.
const Endpoint* FindEndpoint(std::string_view method, std::string_view path);

// Problems of a response: its content type, and its body against the schemas of its endpoint or
// that of errors. Empty for what is not of the API, and for statuses without a body.
// May be called from any thread.
std::string CheckExchange(const Exchange& exchange);

}  // namespace flarestack::server::api::testing
