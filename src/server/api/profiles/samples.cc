// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <algorithm>

#include "base/saturating.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "model/attribute_text.h"
#include "query/reports/events.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

absl::StatusOr<Answer> GetSamples(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  query::EventsOptions options;
  FLARE_ASSIGN(options.events_max,
               ReadNumber(call, "limit", {.fallback = 10'000, .min = 1, .max = 200'000}));
  if (const std::string_view lane = call.Text("lane", "thread"); lane != "thread")
    options.lane_keys = {std::string(lane)};
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::Events events,
               query::ReadEvents(call.source(), scope, options, limits));
  Json times = Json::array();
  Json values = Json::array();
  Json lanes = Json::array();
  Json stacks = Json::array();
  const uint64_t begin = events.events.empty() ? 0 : events.events.front().time_nanos;
  for (const query::Event& event : events.events) {
    times.push_back(event.time_nanos - begin);
    values.push_back(event.value);
    lanes.push_back(event.lane);
    stacks.push_back(event.stack);
  }
  Answer response;
  response.json = {{"type", events.type},
                   {"unit", events.unit},
                   {"begin", std::to_string(begin)},
                   {"lanes", events.lanes},
                   {"functions", events.functions},
                   {"function_types", events.function_types},
                   {"function_modules", events.function_modules},
                   {"stacks", events.stacks},
                   {"events",
                    {{"time", std::move(times)},
                     {"value", std::move(values)},
                     {"lane", std::move(lanes)},
                     {"stack", std::move(stacks)}}},
                   {"event_count", events.event_count},
                   {"timeless_count", events.timeless_count}};
  response.json["next"] = events.next_nanos == 0 ? Json() : Json(std::to_string(events.next_nanos));
  response.scanned = ScannedFrom(events.extent);
  if (events.events.empty()) {
    query::ScopeStacks none;
    none.total_before_filter = events.total_before_filter;
    FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, none));
  }
  return response;
}

Json ProfileJson(const model::Batch& batch, const model::Resource& resource,
                 const model::Profile& profile) {
  const model::Dictionary& dictionary = batch.dictionary;
  Json attributes = Json::object();
  for (const model::KeyValue& node : model::In(dictionary.nodes, resource.attributes))
    attributes[std::string(dictionary.Key(node))] = model::AttributeText(dictionary, node.value);
  int64_t total = 0;
  for (const model::Sample& sample : model::In(batch.samples, profile.samples))
    total = base::SaturatingAdd(total, model::Weight(batch, sample));
  return {{"profile_id", base::HexEncode(profile.profile_id)},
          {"time", std::to_string(profile.time_unix_nano)},
          {"duration_ns", profile.duration_nano},
          {"type", dictionary.Text(profile.sample_type.type)},
          {"unit", dictionary.Text(profile.sample_type.unit)},
          {"samples", profile.samples.count},
          {"total", total},
          {"resource", std::move(attributes)}};
}

absl::StatusOr<Answer> GetProfiles(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 100, .min = 1, .max = 10'000}));
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  query::ReadExtent extent;
  store::ProfileQuery query = query::QueryFor(scope, limits, &extent);
  query.detail = store::Detail::kSamples;
  FLARE_ASSIGN(const model::Batch batch, call.source().SelectProfiles(query));
  struct Row {
    const model::Resource* resource;
    const model::Profile* profile;
  };
  std::vector<Row> found;
  for (const model::Resource& resource : batch.resources) {
    for (const model::Scope& of : model::In(batch.scopes, resource.scopes)) {
      for (const model::Profile& profile : model::In(batch.profiles, of.profiles))
        found.push_back({&resource, &profile});
    }
  }
  std::ranges::stable_sort(found, std::greater(),
                           [](const Row& row) { return row.profile->time_unix_nano; });
  Json rows = Json::array();
  for (const Row& row : found) {
    if (rows.size() == limit)
      break;
    rows.push_back(ProfileJson(batch, *row.resource, *row.profile));
  }
  Answer response;
  response.json = {{"profile_count", found.size()}, {"profiles", std::move(rows)}};
  response.scanned = ScannedFrom(extent);
  if (found.empty()) {
    FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, {}));
  }
  return response;
}

}  // namespace

std::vector<Endpoint> SampleEndpoints() {
  return {
      {.path = "/samples",
       .summary = "timeline of samples, by thread",
       .parameters = ScopeParameters(
           {kTimeoutParameter,
            {.name = "lane", .summary = "lanes: thread, or an attribute", .fallback = "thread"},
            {.name = "limit",
             .kind = Kind::kNumber,
             .summary = "maximum samples; continue with `next`",
             .fallback = "10000"}}),
       .responses = {"Samples"},
       .handler = GetSamples},
      {.path = "/profiles",
       .summary = "profiles as sent, latest first",
       .parameters = ScopeParameters({kTimeoutParameter,
                                      {.name = "limit",
                                       .kind = Kind::kNumber,
                                       .summary = "maximum profiles",
                                       .fallback = "100"}}),
       .responses = {"Profiles"},
       .handler = GetProfiles},
  };
}

}  // namespace flarestack::server::api
