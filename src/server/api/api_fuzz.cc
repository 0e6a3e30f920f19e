// SPDX-License-Identifier: Apache-2.0
//
// Any request succeeds or is rejected. The server never returns a server error, and a body declared
// as JSON is valid JSON. The first byte selects the endpoint. The rest is the query string and also
// the request body.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/memory/byte_budget.h"
#include "net/http/http_target.h"
#include "server/api/endpoints.h"

namespace {

using namespace flarestack;

std::vector<net::HttpRoute> Routes() {
  static base::ByteBudget budget(1 << 20);
  server::api::RunOptions options;
  options.find_tenant = [](const net::HttpRequest&) { return std::string(); };
  options.find_data = [](const std::string&) { return server::api::DataSet(); };
  options.budget = &budget;
  options.now_nanos = [] { return uint64_t{1'772'366'400'000'000'000}; };
  std::vector<net::HttpRoute> routes;
  for (server::api::Endpoint& endpoint : server::api::Endpoints())
    routes.push_back(server::api::MakeRoute(std::move(endpoint), options));
  return routes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<net::HttpRoute> routes = Routes();
  if (size == 0)
    return 0;
  const net::HttpRoute& route = routes[data[0] % routes.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  net::HttpRequest request;
  request.method = route.method;
  request.path = route.pattern;
  const auto target = net::ParseTarget(std::string("/?") + std::string(text));
  if (!target.ok())
    return 0;
  request.query = target->query;
  request.path_parameters.Add("id", std::string(text.substr(0, 32)));
  request.body = text;
  const net::HttpResponse response = route.handler(request);
  FLARE_CHECK(response.status < 500, route.pattern, " ", response.body);
  if (response.status != 304 && response.headers.Get("Content-Type") == "application/json") {
    FLARE_CHECK(server::api::Json::accept(response.body), response.body);
  }
  return 0;
}
