// SPDX-License-Identifier: Apache-2.0
#include "query/scope/attribute_keys.h"

#include <map>
#include <set>

#include "base/status.h"
#include "model/attribute_text.h"
#include "query/data/data_source.h"

namespace flarestack::query {
namespace {

// Enough to see which tags samples have. The value counts are not guaranteed to be complete.
constexpr uint64_t kRowsMax = 500'000;

using Values = std::map<std::pair<std::string, AttributeLevel>, std::set<std::string>>;

bool IsWanted(std::string_view wanted, std::string_view key) {
  return wanted.empty() || model::SameAttributeKey(wanted, key);
}

absl::Status AddOfResources(const DataSource& source, const ProfileScope& scope,
                            std::string_view key, Values* values) {
  FLARE_ASSIGN(const auto all, source.ListSeries({.matchers = scope.matchers,
                                                  .types = store::SampleTypesFor(scope.type)}));
  for (const store::Series& series : all) {
    for (const auto& [name, value] : series.attributes) {
      if (IsWanted(key, name))
        (*values)[{name, AttributeLevel::kResource}].insert(value);
    }
  }
  return absl::OkStatus();
}

void AddOfSamples(const model::Batch& batch, std::string_view key, Values* values) {
  const model::Dictionary& dictionary = batch.dictionary;
  std::vector<bool> is_used(dictionary.attributes.size(), false);
  for (const model::Sample& sample : batch.samples) {
    for (const model::AttributeIndex index :
         model::In(dictionary.attribute_indices, sample.attributes))
      is_used[index.value] = true;
  }
  for (const model::Profile& profile : batch.profiles) {
    for (const model::AttributeIndex index :
         model::In(dictionary.attribute_indices, profile.attributes))
      is_used[index.value] = true;
  }
  for (size_t i = 0; i < is_used.size(); ++i) {
    const model::Attribute& attribute = dictionary.attributes[i];
    const std::string_view name = dictionary.Text(attribute.key);
    if (is_used[i] && IsWanted(key, name)) {
      (*values)[{std::string(name), AttributeLevel::kSample}].insert(
          model::AttributeText(dictionary, attribute.value));
    }
  }
}

}  // namespace

absl::StatusOr<AttributeKeys> ListAttributes(const DataSource& source, const ProfileScope& scope,
                                             std::string_view key, size_t values_max,
                                             const ReadLimits& limits) {
  AttributeKeys result;
  Values values;
  FLARE_RETURN_IF_ERROR(AddOfResources(source, scope, key, &values));
  if (key.empty() || values.empty()) {
    ReadLimits limited = limits;
    limited.progress = [](const store::ReadProgress& progress) {
      return progress.rows <= kRowsMax;
    };
    store::ProfileQuery query = QueryFor(scope, limited, &result.extent);
    query.detail = store::Detail::kSamples;
    FLARE_ASSIGN(const model::Batch batch, source.SelectProfiles(query));
    AddOfSamples(batch, key, &values);
  }
  for (const auto& [name, of_key] : values) {
    AttributeKeyInfo info = {.key = name.first, .level = name.second, .value_count = of_key.size()};
    for (const std::string& value : of_key) {
      if (info.values.size() == values_max)
        break;
      info.values.push_back(value);
    }
    result.keys.push_back(std::move(info));
  }
  return result;
}

}  // namespace flarestack::query
