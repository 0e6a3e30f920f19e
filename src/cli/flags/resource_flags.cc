// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/resource_flags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using record::agent::TextAttribute;

constexpr char kServiceName[] = "service.name";

std::string_view KeyOf(const model::Batch& batch, const model::KeyValue& node) {
  if (node.key_index.value == 0)
    return node.key;
  const std::vector<std::string_view>& strings = batch.dictionary.strings;
  return node.key_index.value < strings.size() ? strings[node.key_index.value] : "";
}

void Set(std::vector<TextAttribute>* attributes, std::string key, std::string value) {
  const auto same = [&](const TextAttribute& attribute) { return attribute.key == key; };
  std::erase_if(*attributes, same);
  attributes->push_back({.key = std::move(key), .value = std::move(value)});
}

bool Has(const std::vector<TextAttribute>& attributes, std::string_view key) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const TextAttribute& attribute) { return attribute.key == key; });
}

}  // namespace

void ResourceFlags::Define(CLI::App* app) {
  app->add_option("--service", service_,
                  "service.name of the profiles; overrides the one in the file");
  app->add_option("--resource", attributes_, "KEY=VALUE, additional resource attribute; repeatable")
      ->allow_extra_args(false);
}

absl::Status ResourceFlags::Read(const Environment& environment) {
  for (const std::string& attribute : attributes_) {
    const size_t equals = attribute.find('=');
    if (equals == 0 || equals == std::string::npos)
      return absl::InvalidArgumentError(
          base::StrCat("--resource: \"", attribute, "\" is not KEY=VALUE"));
    Set(&wanted_, attribute.substr(0, equals), attribute.substr(equals + 1));
  }
  if (!service_.empty())
    Set(&wanted_, kServiceName, service_);
  if (const auto text = environment("OTEL_RESOURCE_ATTRIBUTES");
      text.has_value() && !text->empty()) {
    auto parsed = record::agent::ParseResourceAttributes(*text);
    if (!parsed.has_value())
      return absl::InvalidArgumentError("OTEL_RESOURCE_ATTRIBUTES: expected KEY=VALUE,KEY=VALUE");
    fallback_ = *std::move(parsed);
  }
  if (const auto name = environment("OTEL_SERVICE_NAME"); name.has_value() && !name->empty())
    Set(&fallback_, kServiceName, *name);
  return absl::OkStatus();
}

void ResourceFlags::Apply(model::Batch* batch) const {
  if (wanted_.empty() && fallback_.empty())
    return;
  std::vector<model::KeyValue>& nodes = batch->dictionary.nodes;
  for (model::Resource& resource : batch->resources) {
    std::vector<model::KeyValue> attributes;
    std::vector<TextAttribute> added = wanted_;
    for (uint32_t i = resource.attributes.begin; i < resource.attributes.end(); ++i) {
      if (!Has(wanted_, KeyOf(*batch, nodes[i])))
        attributes.push_back(nodes[i]);
    }
    for (const TextAttribute& attribute : fallback_) {
      const bool is_there =
          Has(wanted_, attribute.key) ||
          std::any_of(attributes.begin(), attributes.end(), [&](const model::KeyValue& node) {
            return KeyOf(*batch, node) == attribute.key;
          });
      if (!is_there)
        added.push_back(attribute);
    }
    for (const TextAttribute& attribute : added) {
      model::KeyValue& node = attributes.emplace_back();
      node.key = batch->arena.Copy(attribute.key);
      node.value = model::AnyValue::String(batch->arena.Copy(attribute.value));
    }
    resource.present = true;
    resource.attributes = {.begin = static_cast<uint32_t>(nodes.size()),
                           .count = static_cast<uint32_t>(attributes.size())};
    nodes.insert(nodes.end(), attributes.begin(), attributes.end());
  }
}

}  // namespace flarestack::cli
