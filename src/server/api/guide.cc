// SPDX-License-Identifier: Apache-2.0
#include "server/ui/guide.h"
#include "server/api/endpoints.h"

#include <utility>

namespace flarestack::server::api {
namespace {

Json GuideJson(const Guide& guide) {
  Json steps = Json::array();
  for (const GuideStep& step : guide.steps)
    steps.push_back({{"title", step.title}, {"text", step.text}, {"path", step.path}});
  return {{"title", guide.title}, {"steps", std::move(steps)}};
}

absl::StatusOr<Answer> GetGuide(Call& call) {
  return Answer{.json = GuideJson(call.guide != nullptr ? *call.guide : Guide())};
}

}  // namespace

std::vector<Endpoint> GuideEndpoints() {
  return {{.path = "/guide",
           .summary = "steps of the guided tour; empty if there is none",
           .parameters = {},
           .responses = {"Guide"},
           .handler = GetGuide}};
}

}  // namespace flarestack::server::api
