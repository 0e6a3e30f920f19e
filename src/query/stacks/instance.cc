// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/instance.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "model/attribute_text.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kServiceInstanceId = "service.instance.id";
constexpr std::string_view kServiceKeys[] = {"service.namespace", "service.name",
                                             kServiceInstanceId};
constexpr std::string_view kPlaceKeys[] = {"host.name", "k8s.pod.name", "process.pid",
                                           "container.id"};

struct Named {
  std::string key;
  std::string value;
  friend auto operator<=>(const Named&, const Named&) = default;
};

// Length prefixes keep values apart that would be equal when merely concatenated.
std::string Join(const std::vector<Named>& attributes) {
  std::string text;
  for (const Named& attribute : attributes) {
    base::StrAppend(&text, attribute.key.size(), ":", attribute.key, "=", attribute.value.size(),
                    ":", attribute.value, ";");
  }
  return text;
}

// An attribute without a value identifies nothing.
std::vector<Named> Pick(const std::vector<Named>& all, std::span<const std::string_view> keys) {
  std::vector<Named> picked;
  for (const std::string_view key : keys) {
    const auto found = std::ranges::find_if(all, [&](const Named& attribute) {
      return !attribute.value.empty() && model::SameAttributeKey(attribute.key, key);
    });
    if (found != all.end())
      picked.push_back({.key = std::string(key), .value = found->value});
  }
  return picked;
}

}  // namespace

std::string InstanceIdentity(const model::Dictionary& dictionary, const model::Resource& resource) {
  std::vector<Named> all;
  for (const model::KeyValue& attribute : model::In(dictionary.nodes, resource.attributes)) {
    all.push_back({.key = std::string(dictionary.Key(attribute)),
                   .value = model::AttributeText(dictionary, attribute.value)});
  }
  // The order of attributes is irrelevant.
  std::ranges::sort(all);
  if (!Pick(all, {&kServiceInstanceId, 1}).empty())
    return Join(Pick(all, kServiceKeys));
  if (const std::vector<Named> place = Pick(all, kPlaceKeys); !place.empty())
    return Join(place);
  return Join(all);
}

}  // namespace flarestack::query
