// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include "base/status.h"
#include "query/diff/deployments.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

Json DeploymentJson(const query::Deployment& one) {
  return {{"version", one.version},
          {"first_seen", std::to_string(one.first_nanos)},
          {"last_seen", std::to_string(one.last_nanos)},
          {"total", one.total}};
}

absl::StatusOr<Answer> GetDeployments(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::Deployments found,
               query::FindDeployments(call.source(), scope, limits));
  Json rows = Json::array();
  for (const query::Deployment& one : found.versions)
    rows.push_back(DeploymentJson(one));
  Answer response;
  response.json = {{"step_ns", found.step_nanos}, {"versions", std::move(rows)}};
  response.scanned = ScannedFrom(found.extent);
  if (found.versions.empty())
    response.empty = {{"reason", "no profile in this time range has service.version"}};
  return response;
}

absl::StatusOr<Answer> GetRegressions(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 50, .min = 1, .max = 1000}));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::Regressions found,
               query::CompareVersions(call.source(), scope,
                                      {.before = std::string(call.Text("b.version")),
                                       .after = std::string(call.Text("version"))},
                                      limits));
  const bool is_per_request = found.requests_before != 0 && found.requests_after != 0;
  Json rows = Json::array();
  for (const query::DiffRow& row : found.diff.rows) {
    if (!row.is_significant || rows.size() == limit)
      continue;
    Json json = {{"function", row.function},     {"before", row.before},
                 {"after", row.after},           {"delta", row.delta},
                 {"self_delta", row.self_delta}, {"probability", row.probability}};
    json["ratio"] = row.ratio.has_value() ? Json(*row.ratio) : Json();
    rows.push_back(std::move(json));
  }
  Answer response;
  response.json = {
      {"type", found.diff.type},
      {"unit", found.diff.unit},
      {"norm", is_per_request ? "request" : "share"},
      {"before", DeploymentJson(found.before)},
      {"after", DeploymentJson(found.after)},
      {"requests_before", found.requests_before},
      {"requests_after", found.requests_after},
      {"total_delta", found.diff.total_delta},
      {"noise_test",
       found.diff.noise_test == query::NoiseTest::kBootstrap ? "bootstrap" : "optimistic"},
      {"rows", std::move(rows)}};
  response.scanned = ScannedFrom(found.extent);
  if (response.json["rows"].empty())
    response.empty = {{"reason", "no function changed significantly"}};
  return response;
}

}  // namespace

std::vector<Endpoint> DeploymentEndpoints() {
  return {{.path = "/deployments",
           .summary = "versions of a service, in order of first appearance",
           .parameters = ScopeParameters({kTimeoutParameter}),
           .responses = {"Deployments"},
           .handler = GetDeployments},
          {.path = "/regressions",
           .summary = "functions changed significantly by the latest version",
           .parameters = ScopeParameters(
               {kTimeoutParameter,
                {.name = "version", .summary = "version to inspect (default: latest)"},
                {.name = "b.version", .summary = "version to compare with (default: previous)"},
                {.name = "limit",
                 .kind = Kind::kNumber,
                 .summary = "maximum functions",
                 .fallback = "50"}}),
           .responses = {"Regressions"},
           .handler = GetRegressions}};
}

}  // namespace flarestack::server::api
