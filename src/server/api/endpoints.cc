// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <iterator>

#include "server/api/openapi.h"

namespace flarestack::server::api {
namespace {

Endpoint OpenApiEndpoint() {
  Endpoint endpoint = {.path = "/openapi.json",
                       .summary = "this document",
                       .parameters = {},
                       .responses = {"OpenApiDocument"},
                       .handler = nullptr};
  endpoint.handler = [](Call& /*call*/) -> absl::StatusOr<Answer> {
    return Answer{.bytes = OpenApiDocument(Endpoints()).dump(2) + "\n",
                  .content_type = "application/json"};
  };
  return endpoint;
}

}  // namespace

std::vector<Endpoint> Endpoints() {
  std::vector<Endpoint> all;
  const auto add = [&](std::vector<Endpoint> group) {
    all.insert(all.end(), std::make_move_iterator(group.begin()),
               std::make_move_iterator(group.end()));
  };
  add(FlameEndpoints());
  add(SourceEndpoints());
  add(CompareEndpoints());
  add(SeriesEndpoints());
  add(SampleEndpoints());
  add(AttributeEndpoints());
  add(ExportEndpoints());
  all.push_back(TracesEndpoint());
  all.push_back(TraceEndpoint());
  add(LogEndpoints());
  add(MetricEndpoints());
  add(LinkEndpoints());
  add(DeploymentEndpoints());
  add(ScratchEndpoints());
  add(ShortlinkEndpoints());
  add(HealthEndpoints());
  add(GuideEndpoints());
  add(SymbolEndpoints());
  all.push_back(OpenApiEndpoint());
  return all;
}

}  // namespace flarestack::server::api
