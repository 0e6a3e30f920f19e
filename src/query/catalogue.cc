// SPDX-License-Identifier: Apache-2.0
#include "query/catalogue.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/status.h"
#include "model/attribute_text.h"

namespace flarestack::query {
namespace {

std::string_view AttributeOf(const store::Series& series, std::string_view key) {
  for (const auto& [name, value] : series.attributes) {
    if (model::SameAttributeKey(name, key))
      return value;
  }
  return {};
}

// What tells two processes of a service apart, as well as its resource can say.
std::string InstanceOf(const store::Series& series) {
  const std::string_view own = AttributeOf(series, "service.instance.id");
  if (!own.empty())
    return std::string(own);
  std::string parts;
  for (const std::string_view key :
       {"k8s.pod.uid", "k8s.pod.name", "container.id", "host.id", "host.name", "process.pid"})
    base::StrAppend(&parts, AttributeOf(series, key), "\n");
  return parts;
}

struct Collected {
  std::set<std::string> types;
  std::set<std::string> named_by;
  std::set<std::string> instances;
  struct Version {
    uint64_t last_seen_nanos = 0;
    std::set<std::string> instances;
  };
  std::map<std::string, Version> versions;
  uint64_t series = 0;
};

}  // namespace

absl::StatusOr<std::vector<Service>> ListServices(store::Store* store,
                                                  const std::vector<store::Matcher>& matchers) {
  FLARE_ASSIGN(const std::vector<store::Series> all, store->ListSeries({.matchers = matchers}));
  std::map<std::pair<std::string, std::string>, Collected> by_name;
  for (const store::Series& series : all) {
    Collected& one = by_name[{std::string(AttributeOf(series, "service.name")),
                              std::string(AttributeOf(series, "service.namespace"))}];
    ++one.series;
    one.types.insert(base::StrCat(series.type, ":", series.unit));
    if (const auto rule = AttributeOf(series, "flarestack.service.name.rule"); !rule.empty())
      one.named_by.insert(std::string(rule));
    const std::string instance = InstanceOf(series);
    one.instances.insert(instance);
    auto& version = one.versions[std::string(AttributeOf(series, "service.version"))];
    version.last_seen_nanos = std::max(version.last_seen_nanos, series.last_seen_nanos);
    version.instances.insert(instance);
  }
  std::vector<Service> services;
  for (const auto& [name, one] : by_name) {
    Service service = {.name = name.first,
                       .name_space = name.second,
                       .types = {one.types.begin(), one.types.end()},
                       .named_by = {one.named_by.begin(), one.named_by.end()},
                       .series = one.series,
                       .instances = one.instances.size()};
    for (const auto& [version, seen] : one.versions) {
      service.versions.push_back({.version = version,
                                  .last_seen_nanos = seen.last_seen_nanos,
                                  .instances = seen.instances.size()});
      service.last_seen_nanos = std::max(service.last_seen_nanos, seen.last_seen_nanos);
    }
    std::ranges::stable_sort(service.versions, std::greater(), &ServiceVersion::last_seen_nanos);
    services.push_back(std::move(service));
  }
  return services;
}

}  // namespace flarestack::query
