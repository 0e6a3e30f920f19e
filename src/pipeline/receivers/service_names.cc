// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/service_names.h"

#include <string_view>
#include <vector>

#include "model/attribute_text.h"

namespace flarestack::pipeline {
namespace {

constexpr size_t kShortIdBytes = 12;

// Returns the text of a resource attribute; empty if the resource does not have it.
std::string_view TextOf(const model::Dictionary& dictionary, const model::Resource& resource,
                        std::string_view key) {
  for (const model::KeyValue& attribute : model::In(dictionary.nodes, resource.attributes)) {
    if (model::SameAttributeKey(dictionary.Key(attribute), key) &&
        dictionary.IsString(attribute.value))
      return dictionary.String(attribute.value);
  }
  return {};
}

struct Found {
  std::string_view name;
  std::string_view rule;
};

Found FindName(const model::Dictionary& dictionary, const model::Resource& resource) {
  const auto text = [&](std::string_view key) { return TextOf(dictionary, resource, key); };
  const std::string_view path = text("process.executable.path");
  for (const std::string_view name :
       {text("process.executable.name"), path.substr(path.rfind('/') + 1)}) {
    if (!name.empty())
      return {.name = name, .rule = "executable"};
  }
  for (const std::string_view name : {text("container.name"), text("k8s.container.name"),
                                      text("container.id").substr(0, kShortIdBytes)}) {
    if (!name.empty())
      return {.name = name, .rule = "container"};
  }
  return {.name = "unknown_service", .rule = "unknown"};
}

}  // namespace

uint64_t NameServices(model::Batch* batch) {
  model::Dictionary& dictionary = batch->dictionary;
  uint64_t named = 0;
  for (model::Resource& resource : batch->resources) {
    if (!TextOf(dictionary, resource, "service.name").empty())
      continue;
    const Found found = FindName(dictionary, resource);
    std::vector<model::KeyValue> attributes;
    for (const model::KeyValue& attribute : model::In(dictionary.nodes, resource.attributes)) {
      if (!model::SameAttributeKey(dictionary.Key(attribute), "service.name"))
        attributes.push_back(attribute);
    }
    attributes.push_back(
        {.key = "service.name", .key_index = {}, .value = model::AnyValue::String(found.name)});
    attributes.push_back({.key = "flarestack.service.name.rule",
                          .key_index = {},
                          .value = model::AnyValue::String(found.rule)});
    resource.present = true;
    resource.attributes = {.begin = static_cast<uint32_t>(dictionary.nodes.size()),
                           .count = static_cast<uint32_t>(attributes.size())};
    dictionary.nodes.insert(dictionary.nodes.end(), attributes.begin(), attributes.end());
    ++named;
  }
  return named;
}

}  // namespace flarestack::pipeline
