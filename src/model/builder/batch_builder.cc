// SPDX-License-Identifier: Apache-2.0
#include "model/builder/batch_builder.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "model/builder/dictionary_merger.h"
#include "model/builder/value_identity.h"

namespace flarestack::model {
namespace {

// Scope attributes with this prefix describe the list of profiles in one scope, so scopes that
// carry them cannot be merged.
constexpr std::string_view kPerScopePrefix = "pprof.scope.";

template <typename T>
Slice Append(std::span<const T> items, std::vector<T>* pool) {
  const Slice slice = {.begin = static_cast<uint32_t>(pool->size()),
                       .count = static_cast<uint32_t>(items.size())};
  pool->insert(pool->end(), items.begin(), items.end());
  return slice;
}

// The attributes of a resource or scope are a set: two senders may write them in different orders.
void AppendCanonicalSet(const Dictionary& dictionary, Slice nodes, std::string* out) {
  std::vector<std::string> entries;
  entries.reserve(nodes.count);
  for (const KeyValue& node : In(dictionary.nodes, nodes)) {
    std::string& entry = entries.emplace_back();
    AppendCanonical(dictionary.Key(node), &entry);
    AppendCanonical(dictionary, node.value, &entry);
  }
  std::ranges::sort(entries);
  AppendCanonical(uint64_t{entries.size()}, out);
  for (const std::string& entry : entries)
    out->append(entry);
}

}  // namespace

BatchBuilder::BatchBuilder(Grouping grouping)
    : grouping_(grouping),
      batch_(std::make_unique<Batch>()),
      dictionary_(&batch_->dictionary, &batch_->arena) {}

ResourceId BatchBuilder::AddResource(const Resource& resource,
                                     std::span<const EntityRef> entity_refs,
                                     std::span<const std::string_view> entity_keys) {
  std::string key;
  if (grouping_ == Grouping::kNone)
    AppendCanonical(uint64_t{resources_.size()}, &key);
  key.push_back(resource.present ? 1 : 0);
  AppendCanonicalSet(batch_->dictionary, resource.attributes, &key);
  AppendCanonical(uint64_t{resource.dropped_attributes_count}, &key);
  AppendCanonical(resource.schema_url, &key);
  for (const EntityRef& ref : entity_refs) {
    AppendCanonical(ref.schema_url, &key);
    AppendCanonical(ref.type, &key);
    for (const Slice keys : {ref.id_keys, ref.description_keys}) {
      AppendCanonical(uint64_t{keys.count}, &key);
      for (const std::string_view text : entity_keys.subspan(keys.begin, keys.count)) {
        AppendCanonical(text, &key);
      }
    }
  }
  const auto [it, added] =
      resource_ids_.try_emplace(key, ResourceId{static_cast<uint32_t>(resources_.size())});
  if (!added) {
    return it->second;
  }
  StagedResource& staged = resources_.emplace_back();
  staged.resource = resource;
  staged.resource.schema_url = dictionary_.Keep(resource.schema_url);
  staged.resource.entity_refs = {.begin = static_cast<uint32_t>(batch_->entity_refs.size()),
                                 .count = static_cast<uint32_t>(entity_refs.size())};
  const auto keep_keys = [&](Slice keys) {
    const Slice kept = {.begin = static_cast<uint32_t>(batch_->entity_keys.size()),
                        .count = keys.count};
    for (const std::string_view text : entity_keys.subspan(keys.begin, keys.count)) {
      batch_->entity_keys.push_back(dictionary_.Keep(text));
    }
    return kept;
  };
  for (const EntityRef& ref : entity_refs) {
    batch_->entity_refs.push_back({.schema_url = dictionary_.Keep(ref.schema_url),
                                   .type = dictionary_.Keep(ref.type),
                                   .id_keys = keep_keys(ref.id_keys),
                                   .description_keys = keep_keys(ref.description_keys)});
  }
  return it->second;
}

ScopeId BatchBuilder::AddScope(ResourceId resource, const Scope& scope) {
  const Dictionary& tables = batch_->dictionary;
  bool is_per_scope = grouping_ == Grouping::kNone;
  for (const KeyValue& attribute : In(tables.nodes, scope.attributes)) {
    is_per_scope = is_per_scope || tables.Key(attribute).starts_with(kPerScopePrefix);
  }
  const ScopeId next = {static_cast<uint32_t>(scopes_.size())};
  if (!is_per_scope) {
    std::string key;
    AppendCanonical(uint64_t{resource.value}, &key);
    key.push_back(scope.present ? 1 : 0);
    AppendCanonical(scope.name, &key);
    AppendCanonical(scope.version, &key);
    AppendCanonicalSet(tables, scope.attributes, &key);
    AppendCanonical(uint64_t{scope.dropped_attributes_count}, &key);
    AppendCanonical(scope.schema_url, &key);
    const auto [it, added] = scope_ids_.try_emplace(key, next);
    if (!added) {
      return it->second;
    }
  }
  StagedScope& staged = scopes_.emplace_back();
  staged.scope = scope;
  staged.scope.name = dictionary_.Keep(scope.name);
  staged.scope.version = dictionary_.Keep(scope.version);
  staged.scope.schema_url = dictionary_.Keep(scope.schema_url);
  resources_[resource.value].scopes.push_back(next);
  return next;
}

void BatchBuilder::AddProfile(ScopeId scope, const Profile& profile) {
  scopes_[scope.value].profiles.push_back(static_cast<uint32_t>(batch_->profiles.size()));
  Profile& added = batch_->profiles.emplace_back(profile);
  added.profile_id = dictionary_.Keep(profile.profile_id);
  added.original_payload_format = dictionary_.Keep(profile.original_payload_format);
  added.original_payload = dictionary_.Keep(profile.original_payload);
  added.samples = {.begin = static_cast<uint32_t>(batch_->samples.size()), .count = 0};
}

void BatchBuilder::AddSample(const Sample& sample) {
  batch_->samples.push_back(sample);
  ++batch_->profiles.back().samples.count;
}

void BatchBuilder::SetSamples(uint32_t profile, std::span<const Sample> samples) {
  batch_->profiles[profile].samples = Append(samples, &batch_->samples);
}

Slice BatchBuilder::Values(std::span<const int64_t> values) {
  return Append(values, &batch_->values);
}

Slice BatchBuilder::Timestamps(std::span<const uint64_t> timestamps) {
  return Append(timestamps, &batch_->timestamps);
}

void BatchBuilder::Merge(const Batch& from) { Merge(from, Part::kAll); }

void BatchBuilder::MergeEnvelope(const Batch& from) { Merge(from, Part::kEnvelope); }

void BatchBuilder::Merge(const Batch& from, Part part) {
  DictionaryMerger merger(from.dictionary, &dictionary_);
  for (const Profile& profile : from.profiles) {
    for (const ValueType& type : {profile.sample_type, profile.period_type}) {
      merger.Need(type.type);
      merger.Need(type.unit);
    }
    merger.NeedAttributes(profile.attributes);
  }
  if (part == Part::kAll) {
    for (const Sample& sample : from.samples) {
      merger.Need(sample.stack);
      merger.Need(sample.link);
      merger.NeedAttributes(sample.attributes);
    }
  }
  merger.Run();
  const auto map_type = [&](const ValueType& type) {
    return ValueType{.type = merger.Map(type.type), .unit = merger.Map(type.unit)};
  };
  const auto copy_nodes = [&](Slice nodes) {
    return dictionary_.CopyNodes(from.dictionary, In(from.dictionary.nodes, nodes),
                                 /*as_references=*/true);
  };
  for (const Resource& from_resource : from.resources) {
    Resource resource = from_resource;
    resource.attributes = copy_nodes(from_resource.attributes);
    const ResourceId resource_id =
        AddResource(resource, In(from.entity_refs, from_resource.entity_refs), from.entity_keys);
    for (const Scope& from_scope : In(from.scopes, from_resource.scopes)) {
      Scope scope = from_scope;
      scope.attributes = copy_nodes(from_scope.attributes);
      const ScopeId scope_id = AddScope(resource_id, scope);
      for (const Profile& from_profile : In(from.profiles, from_scope.profiles)) {
        Profile profile = from_profile;
        profile.sample_type = map_type(from_profile.sample_type);
        profile.period_type = map_type(from_profile.period_type);
        profile.attributes =
            dictionary_.AttributeList(merger.MapAttributes(from_profile.attributes));
        AddProfile(scope_id, profile);
        if (part == Part::kEnvelope)
          continue;
        for (const Sample& sample : In(from.samples, from_profile.samples)) {
          AddSample(
              {.stack = merger.Map(sample.stack),
               .link = merger.Map(sample.link),
               .attributes = dictionary_.AttributeList(merger.MapAttributes(sample.attributes)),
               .values = Values(In(from.values, sample.values)),
               .timestamps = Timestamps(In(from.timestamps, sample.timestamps))});
        }
      }
    }
  }
}

absl::StatusOr<Batch> BatchBuilder::Finish() && {
  FLARE_RETURN_IF_ERROR(dictionary_.status());
  for (const size_t size :
       {batch_->samples.size(), batch_->values.size(), batch_->timestamps.size(),
        batch_->profiles.size(), batch_->entity_refs.size(), batch_->entity_keys.size()}) {
    if (size > kIndexMax) {
      return absl::ResourceExhaustedError("more samples than one message can hold");
    }
  }
  const std::vector<Profile> profiles = std::move(batch_->profiles);
  batch_->profiles.clear();
  for (StagedResource& resource : resources_) {
    resource.resource.scopes = {.begin = static_cast<uint32_t>(batch_->scopes.size()),
                                .count = static_cast<uint32_t>(resource.scopes.size())};
    for (const ScopeId id : resource.scopes) {
      StagedScope& scope = scopes_[id.value];
      scope.scope.profiles = {.begin = static_cast<uint32_t>(batch_->profiles.size()),
                              .count = static_cast<uint32_t>(scope.profiles.size())};
      for (const uint32_t profile : scope.profiles) {
        batch_->profiles.push_back(profiles[profile]);
      }
      batch_->scopes.push_back(scope.scope);
    }
    batch_->resources.push_back(resource.resource);
  }
  return std::move(*batch_);
}

}  // namespace flarestack::model
