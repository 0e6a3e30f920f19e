// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/bundles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "codec/pprof/message/mapping_keys.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;

// Returns the profiles of a scope in column order, if the scope has a valid order attribute.
std::optional<std::vector<uint32_t>> StatedOrder(const model::Batch& batch,
                                                 const model::Scope& scope) {
  const model::Dictionary& tables = batch.dictionary;
  for (const model::KeyValue& attribute : model::In(tables.nodes, scope.attributes)) {
    if (tables.Key(attribute) != kSampleTypeOrderKey ||
        attribute.value.kind != AnyValue::Kind::kArray ||
        attribute.value.nodes.count != scope.profiles.count) {
      continue;
    }
    std::vector<uint32_t> profiles(scope.profiles.count, kNoProfile);
    uint32_t profile = scope.profiles.begin;
    for (const model::KeyValue& node : model::In(tables.nodes, attribute.value.nodes)) {
      const auto column = static_cast<uint64_t>(node.value.int_value);
      if (node.value.kind != AnyValue::Kind::kInt || column >= profiles.size() ||
          profiles[column] != kNoProfile) {
        return std::nullopt;
      }
      profiles[column] = profile++;
    }
    return profiles;
  }
  return std::nullopt;
}

class Collector {
 public:
  explicit Collector(const model::Batch& batch) : batch_(batch) {}

  Bundles Collect() {
    for (uint32_t r = 0; r < batch_.resources.size(); ++r) {
      const model::Slice scopes = batch_.resources[r].scopes;
      for (uint32_t s = scopes.begin; s < scopes.end(); ++s)
        AddScope(r, s);
    }
    for (Bundle& bundle : result_.bundles) {
      bundle.profile_columns.resize(result_.columns.size(), kNoProfile);
    }
    return std::move(result_);
  }

 private:
  void AddScope(uint32_t resource, uint32_t scope_index) {
    const model::Scope& scope = batch_.scopes[scope_index];
    if (const auto stated = StatedOrder(batch_, scope); stated.has_value()) {
      AddBundle(resource, scope_index, *stated);
      return;
    }
    // Profiles of the same type cannot share a column of one bundle, so the second of each type
    // starts a new bundle.
    std::vector<std::vector<uint32_t>> rounds;
    absl::flat_hash_map<Column, size_t> seen;
    for (uint32_t p = scope.profiles.begin; p < scope.profiles.end(); ++p) {
      const size_t round = seen[ColumnOf(p)]++;
      if (round == rounds.size())
        rounds.emplace_back();
      rounds[round].push_back(p);
    }
    for (std::vector<uint32_t>& round : rounds) {
      std::swap(round.front(), round.back());
      AddBundle(resource, scope_index, round);
    }
  }

  Column ColumnOf(uint32_t profile) const {
    const model::ValueType& type = batch_.profiles[profile].sample_type;
    return {.type = batch_.dictionary.Text(type.type), .unit = batch_.dictionary.Text(type.unit)};
  }

  void AddBundle(uint32_t resource, uint32_t scope, const std::vector<uint32_t>& profiles) {
    Bundle& bundle = result_.bundles.emplace_back();
    bundle.resource = resource;
    bundle.scope = scope;
    for (const uint32_t profile : profiles) {
      Column column = ColumnOf(profile);
      size_t at = PositionOf(column);
      while (at < bundle.profile_columns.size() && bundle.profile_columns[at] != kNoProfile) {
        ++column.repeat;
        at = PositionOf(column);
      }
      bundle.profile_columns.resize(std::max(bundle.profile_columns.size(), at + 1), kNoProfile);
      bundle.profile_columns[at] = profile;
    }
  }

  size_t PositionOf(const Column& column) {
    const auto [it, added] = positions_.try_emplace(column, result_.columns.size());
    if (added)
      result_.columns.push_back(column);
    return it->second;
  }

  const model::Batch& batch_;
  Bundles result_;
  absl::flat_hash_map<Column, size_t> positions_;  // in result_.columns
};

}  // namespace

Bundles BundlesOf(const model::Batch& batch) { return Collector(batch).Collect(); }

}  // namespace flarestack::codec::pprof
