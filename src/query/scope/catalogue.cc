// SPDX-License-Identifier: Apache-2.0
#include "query/scope/catalogue.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/status.h"
#include "model/attribute_text.h"
#include "query/data/data_source.h"

namespace flarestack::query {
namespace {

std::string_view AttributeOf(const store::Series& series, std::string_view key) {
  for (const auto& [name, value] : series.attributes) {
    if (model::SameAttributeKey(name, key))
      return value;
  }
  return {};
}

// Identifies a process of a service, as far as its resource allows.
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

// Whether a series has samples in a range. Looks up each version of a service once.
class InRange {
 public:
  InRange(const DataSource& source, const std::vector<store::Matcher>& matchers,
          const std::optional<store::TimeRange>& range)
      : source_(source), matchers_(matchers), range_(range) {}

  absl::StatusOr<bool> Holds(const store::Series& series) {
    if (!range_.has_value())
      return true;
    const bool is_over = series.last_seen_nanos > 0 &&
                         series.last_seen_nanos + base::kNanosPerMinute <= range_->from;
    if (is_over)
      return false;
    std::vector<std::string> identity;
    for (const std::string_view key : kVersionKeys)
      identity.emplace_back(AttributeOf(series, key));
    const auto [it, added] = known_.try_emplace(identity, false);
    if (added) {
      FLARE_ASSIGN(it->second, HasSamples(identity));
    }
    return it->second;
  }

 private:
  static constexpr std::string_view kVersionKeys[] = {"service.name", "service.namespace",
                                                      "service.version"};

  // If any hour of the range has samples, the hour nearest to the middle of the range is one of
  // them.
  absl::StatusOr<bool> HasSamples(const std::vector<std::string>& identity) const {
    store::SeriesQuery query = {.matchers = matchers_};
    for (size_t i = 0; i < identity.size(); ++i) {
      FLARE_ASSIGN(query.matchers.emplace_back(),
                   store::Matcher::Make(std::string(kVersionKeys[i]), store::Matcher::Kind::kEqual,
                                        identity[i]));
    }
    const uint64_t first = range_->from / base::kNanosPerHour;
    const uint64_t last = (range_->to - 1) / base::kNanosPerHour;
    const uint64_t middle = first + (last - first + 1) / 2;
    FLARE_ASSIGN(const uint64_t found, source_.NearestHour(query, middle * base::kNanosPerHour));
    const uint64_t hour = found / base::kNanosPerHour;
    return found > 0 && hour >= first && hour <= last;
  }

  const DataSource& source_;
  const std::vector<store::Matcher>& matchers_;
  const std::optional<store::TimeRange> range_;
  std::map<std::vector<std::string>, bool> known_;
};

}  // namespace

absl::StatusOr<std::vector<Service>> ListServices(const DataSource& source,
                                                  const std::vector<store::Matcher>& matchers,
                                                  const std::optional<store::TimeRange>& range) {
  FLARE_ASSIGN(const std::vector<store::Series> all, source.ListSeries({.matchers = matchers}));
  std::map<std::pair<std::string, std::string>, Collected> by_name;
  InRange in_range(source, matchers, range);
  for (const store::Series& series : all) {
    FLARE_ASSIGN(const bool is_in_range, in_range.Holds(series));
    if (!is_in_range)
      continue;
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
