// SPDX-License-Identifier: Apache-2.0
#include "demo/item_tree.h"

namespace flarestack::demo {
namespace {

uint32_t Size32(size_t size) { return static_cast<uint32_t>(size); }

}  // namespace

model::Slice AddAttributes(std::span<const Attribute> attributes, model::SignalBatch* batch) {
  const model::Slice slice = {Size32(batch->nodes.size()), Size32(attributes.size())};
  for (const Attribute& attribute : attributes) {
    const auto* const text = std::get_if<std::string>(&attribute.value);
    batch->nodes.push_back(
        {.key = attribute.key,
         .value = text != nullptr ? model::AnyValue::String(batch->arena.Copy(*text))
                                  : model::AnyValue::Int(std::get<int64_t>(attribute.value))});
  }
  return slice;
}

void AddProcess(const Process& process, model::Slice items, model::SignalBatch* batch) {
  model::Resource resource;
  resource.present = true;
  resource.attributes = AddAttributes(ResourceOf(process), batch);
  resource.scopes = {Size32(batch->scopes.size()), 1};
  batch->resources.push_back(resource);
  model::ItemScope scope;
  scope.present = true;
  scope.name = kScopeName;
  scope.version = VersionOf(process);
  scope.items = items;
  batch->scopes.push_back(scope);
}

}  // namespace flarestack::demo
