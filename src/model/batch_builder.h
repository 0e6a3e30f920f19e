// SPDX-License-Identifier: Apache-2.0
//
// Makes a batch out of parts: profiles that a reader builds sample by sample, and whole messages
// that are merged in. Equal resources become one, and so do equal scopes inside them; tables hold
// each content once.
//
//   BatchBuilder builder;
//   const ScopeId scope = builder.AddScope(builder.AddResource({}), {{.name = "reader"}});
//   builder.AddProfile(scope, {.sample_type = ...});
//   builder.AddSample({.stack = builder.dictionary().Stack(...), .values =
//   builder.Values({{12}})}); FLARE_ASSIGN(Batch batch, std::move(builder).Finish());
//
// Not thread-safe. The batch owns all its text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "model/batch.h"
#include "model/dictionary_builder.h"

namespace flarestack::model {

using ResourceId = Index<struct ResourceIdTag>;
using ScopeId = Index<struct ScopeIdTag>;

// Whether equal resources become one, and equal scopes inside them.
enum class Grouping { kEqual, kNone };

class BatchBuilder {
 public:
  explicit BatchBuilder(Grouping grouping = Grouping::kEqual);

  DictionaryBuilder& dictionary() { return dictionary_; }

  // The attributes of a resource or scope stand in dictionary().Nodes(...); text is copied. Equal
  // content, same id.
  ResourceId AddResource(const Resource& resource, std::span<const EntityRef> entity_refs = {},
                         std::span<const std::string_view> entity_keys = {});
  ScopeId AddScope(ResourceId resource, const Scope& scope);

  // Starts a profile; samples go to the last one started. Its samples slice is ignored, its text is
  // copied.
  void AddProfile(ScopeId scope, const Profile& profile);
  void AddSample(const Sample& sample);

  // Gives its samples to a profile that has none yet; profiles count from 0 in the order they were
  // added.
  void SetSamples(uint32_t profile, std::span<const Sample> samples);
  void ReserveSamples(size_t count) { batch_->samples.reserve(count); }
  Slice Values(std::span<const int64_t> values);
  Slice Timestamps(std::span<const uint64_t> timestamps);

  // Merges a whole message whose indices have been checked. Orphans and duplicates in its tables
  // are left behind.
  void Merge(const Batch& from);

  // The same without its samples and what only they refer to.
  void MergeEnvelope(const Batch& from);

  // The batch built so far lies in memory in no particular order before Finish().
  const Batch& batch() const { return *batch_; }

  // kResourceExhausted when a table overflowed on the way.
  absl::StatusOr<Batch> Finish() &&;

 private:
  enum class Part { kAll, kEnvelope };
  void Merge(const Batch& from, Part part);

  struct StagedResource {
    Resource resource;
    std::vector<ScopeId> scopes;
  };
  struct StagedScope {
    Scope scope;
    std::vector<uint32_t> profiles;
  };

  Grouping grouping_;
  std::unique_ptr<Batch> batch_;  // at a fixed address: the dictionary builder refers to its tables
  DictionaryBuilder dictionary_;
  std::vector<StagedResource> resources_;
  std::vector<StagedScope> scopes_;
  absl::flat_hash_map<std::string, ResourceId> resource_ids_;  // by canonical content
  absl::flat_hash_map<std::string, ScopeId> scope_ids_;        // by resource and canonical content
};

}  // namespace flarestack::model
