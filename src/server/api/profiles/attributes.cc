// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <optional>

#include "base/saturating.h"
#include "base/status.h"
#include "query/reports/breakdown.h"
#include "query/scope/attribute_keys.h"
#include "query/scope/catalogue.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

constexpr size_t kValuesOfEach = 20;
constexpr uint64_t kValuesMax = 10'000;

absl::StatusOr<Answer> GetServices(Call& call) {
  FLARE_ASSIGN(const auto matchers, ReadSelector(call));
  std::optional<store::TimeRange> range;
  if (call.Find("from").has_value() || call.Find("to").has_value()) {
    FLARE_ASSIGN(range, ReadRange(call, "0"));
  }
  FLARE_ASSIGN(const auto services, query::ListServices(call.source(), matchers, range));
  Json rows = Json::array();
  for (const query::Service& service : services) {
    Json versions = Json::array();
    for (const query::ServiceVersion& version : service.versions) {
      versions.push_back({{"version", version.version},
                          {"instances", version.instances},
                          {"last_seen", std::to_string(version.last_seen_nanos)}});
    }
    rows.push_back({{"service", service.name},
                    {"namespace", service.name_space},
                    {"types", service.types},
                    {"versions", std::move(versions)},
                    {"named_by", service.named_by},
                    {"instances", service.instances},
                    {"series", service.series},
                    {"last_seen", std::to_string(service.last_seen_nanos)}});
  }
  Answer response;
  if (rows.empty())
    response.empty = {{"reason", range.has_value() ? "no service has samples in this time range"
                                 : call.Text("q").empty() ? "no profiles are stored yet"
                                                          : "no data matches the selector"}};
  response.json = {{"services", std::move(rows)}};
  return response;
}

absl::StatusOr<query::AttributeKeys> ReadKeys(const Call& call, std::string_view key,
                                              size_t values_max) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  return query::ListAttributes(call.source(), scope, key, values_max, limits);
}

std::string_view LevelName(query::AttributeLevel level) {
  return level == query::AttributeLevel::kResource ? "resource" : "sample";
}

absl::StatusOr<Answer> GetKeys(Call& call) {
  FLARE_ASSIGN(const query::AttributeKeys found, ReadKeys(call, "", kValuesOfEach));
  Json rows = Json::array();
  for (const query::AttributeKeyInfo& info : found.keys) {
    rows.push_back({{"key", info.key},
                    {"level", LevelName(info.level)},
                    {"value_count", info.value_count},
                    {"values", info.values}});
  }
  Answer response;
  response.json = {{"keys", std::move(rows)}};
  response.scanned = ScannedFrom(found.extent);
  return response;
}

absl::StatusOr<std::string> ReadKey(const Call& call) {
  const std::string_view key = call.Text("key");
  if (key.empty())
    return absl::InvalidArgumentError("`key` is missing: the name of an attribute");
  return std::string(key);
}

absl::StatusOr<Answer> GetValues(Call& call) {
  FLARE_ASSIGN(const std::string key, ReadKey(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 100, .min = 1, .max = kValuesMax}));
  FLARE_ASSIGN(const query::AttributeKeys found, ReadKeys(call, key, kValuesMax));
  const std::string_view contains = call.Text("contains");
  Json values = Json::array();
  uint64_t count = 0;
  for (const query::AttributeKeyInfo& info : found.keys) {
    for (const std::string& value : info.values) {
      if (value.find(contains) == std::string::npos)
        continue;
      ++count;
      if (values.size() < limit)
        values.push_back(value);
    }
  }
  Answer response;
  response.json = {{"key", key}, {"value_count", count}, {"values", std::move(values)}};
  if (found.keys.empty())
    response.empty = {{"reason", base::StrCat("no data here has the attribute ", key)}};
  response.scanned = ScannedFrom(found.extent);
  return response;
}

absl::StatusOr<Answer> GetBreakdown(Call& call) {
  FLARE_ASSIGN(const std::string key, ReadKey(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "topk", {.fallback = 20, .min = 1, .max = 1000}));
  FLARE_ASSIGN(query::ProfileScope scope, ReadScope(call));
  scope.tag_keys = {key};
  ScopeReader reader(call);
  FLARE_ASSIGN(const query::ScopeStacks stacks, reader.Stacks(scope));
  const std::vector<query::BreakdownRow> all = query::Breakdown(stacks.set, key);
  Json rows = Json::array();
  int64_t other = 0;
  for (const query::BreakdownRow& row : all) {
    if (rows.size() < limit) {
      rows.push_back({{"value", row.value}, {"missing", row.is_missing}, {"total", row.total}});
    } else {
      other = base::SaturatingAdd(other, row.total);
    }
  }
  Answer response = {.json = ProfileHead(stacks.set)};
  response.json["key"] = key;
  response.json["rows"] = std::move(rows);
  response.json["other"] = {{"count", all.size() - std::min<size_t>(all.size(), limit)},
                            {"total", other}};
  response.scanned = ScannedFrom(stacks.extent);
  FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, stacks));
  return response;
}

}  // namespace

std::vector<Endpoint> AttributeEndpoints() {
  constexpr Parameter kKey = {.name = "key", .summary = "attribute name, such as host.name"};
  constexpr Parameter kLimit = {
      .name = "limit", .kind = Kind::kNumber, .summary = "maximum entries", .fallback = "100"};
  return {
      {.path = "/services",
       .summary = "services with profile types, versions and last-seen time",
       .parameters = {{.name = "q", .summary = "selector over resource attributes"},
                      {.name = "from",
                       .summary = "start time: services with samples after it",
                       .fallback = "ever"},
                      {.name = "to", .summary = "end time", .fallback = "now"},
                      kScratch},
       .responses = {"Services"},
       .handler = GetServices},
      {.path = "/attrs",
       .summary = "resource and sample attributes, with example values",
       .parameters = ScopeParameters({kTimeoutParameter}),
       .responses = {"AttributeKeys"},
       .handler = GetKeys},
      {.path = "/attr-values",
       .summary = "values of an attribute",
       .parameters =
           ScopeParameters({kTimeoutParameter,
                            kKey,
                            kLimit,
                            {.name = "contains", .summary = "only values that contain this text"}}),
       .responses = {"AttributeValues"},
       .handler = GetValues},
      {.path = "/attr-breakdown",
       .summary = "cost by the values of an attribute",
       .parameters = ScopeParameters(
           {kTimeoutParameter,
            kKey,
            {.name = "topk",
             .kind = Kind::kNumber,
             .summary = "maximum values, largest first; the rest are summed into one more",
             .fallback = "20"}}),
       .responses = {"Breakdown"},
       .handler = GetBreakdown},
  };
}

}  // namespace flarestack::server::api
