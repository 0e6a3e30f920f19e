// SPDX-License-Identifier: Apache-2.0
//
// Builds a batch from parts: profiles that a reader adds sample by sample, and whole messages that
// are merged in. Equal resources are merged, and so are equal scopes within them; tables contain
// each entry once.
//
//   BatchBuilder builder;
//   const ScopeId scope = builder.AddScope(builder.AddResource({}), {{.name = "reader"}});
//   builder.AddProfile(scope, {.sample_type = ...});
//   builder.AddSample({.stack = builder.dictionary().Stack(...),
//                      .values = builder.Values({{12}})});
//   FLARE_ASSIGN(Batch batch, std::move(builder).Finish());
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
#include "model/builder/dictionary_builder.h"

namespace flarestack::model {

using ResourceId = Index<struct ResourceIdTag>;
using ScopeId = Index<struct ScopeIdTag>;

// Whether to merge equal resources, and equal scopes within them.
enum class Grouping { kEqual, kNone };

class BatchBuilder {
 public:
  explicit BatchBuilder(Grouping grouping = Grouping::kEqual);

  DictionaryBuilder& dictionary() { return dictionary_; }

  // The attributes of a resource or scope must come from dictionary().Nodes(...); text is copied.
  // Equal content returns the same id.
  ResourceId AddResource(const Resource& resource, std::span<const EntityRef> entity_refs = {},
                         std::span<const std::string_view> entity_keys = {});
  ScopeId AddScope(ResourceId resource, const Scope& scope);

  // Starts a profile; samples are added to the profile started last. Ignores `profile.samples` and
  // copies the text.
  void AddProfile(ScopeId scope, const Profile& profile);
  void AddSample(const Sample& sample);

  // Sets the samples of a profile that has none yet. Profiles are numbered from 0 in the order they
  // were added.
  void SetSamples(uint32_t profile, std::span<const Sample> samples);
  void ReserveSamples(size_t count) { batch_->samples.reserve(count); }
  Slice Values(std::span<const int64_t> values);
  Slice Timestamps(std::span<const uint64_t> timestamps);

  // Merges a whole message whose indices have been checked. Skips orphans and duplicates in its
  // tables.
  void Merge(const Batch& from);

  // Same as Merge, but skips the samples and everything that only they refer to.
  void MergeEnvelope(const Batch& from);

  // The batch built so far. Its order in memory is unspecified before Finish().
  const Batch& batch() const { return *batch_; }

  // Returns kResourceExhausted if a table overflowed during the build.
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
  std::unique_ptr<Batch> batch_;  // fixed address: the dictionary builder refers to its tables
  DictionaryBuilder dictionary_;
  std::vector<StagedResource> resources_;
  std::vector<StagedScope> scopes_;
  absl::flat_hash_map<std::string, ResourceId> resource_ids_;  // by canonical content
  absl::flat_hash_map<std::string, ScopeId> scope_ids_;        // by resource and canonical content
};

}  // namespace flarestack::model
