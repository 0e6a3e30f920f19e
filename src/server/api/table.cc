// SPDX-License-Identifier: Apache-2.0
#include "server/api/table.h"

#include <iterator>

#include "server/api/attributes.h"
#include "server/api/compare.h"
#include "server/api/deployments.h"
#include "server/api/export.h"
#include "server/api/flame.h"
#include "server/api/guide.h"
#include "server/api/health.h"
#include "server/api/links.h"
#include "server/api/openapi.h"
#include "server/api/samples.h"
#include "server/api/scratch.h"
#include "server/api/series.h"
#include "server/api/shortlinks.h"
#include "server/api/signals.h"
#include "server/api/source.h"
#include "server/api/symbols.h"

namespace flarestack::server::api {
namespace {

Endpoint OpenApiEndpoint() {
  Endpoint endpoint = {
      .path = "/openapi.json", .summary = "this document", .parameters = {}, .handler = nullptr};
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
  add(SignalEndpoints());
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
