// SPDX-License-Identifier: Apache-2.0
//
// The attributes of resources and samples in a scope, and their values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class AttributeLevel { kResource, kSample };

struct AttributeKeyInfo {
  std::string key;
  AttributeLevel level = AttributeLevel::kResource;
  uint64_t value_count = 0;         // distinct
  std::vector<std::string> values;  // sorted; truncated if there are many
};

struct AttributeKeys {
  std::vector<AttributeKeyInfo> keys;  // by key
  ReadExtent extent;
};

// Reads resources through the index, and samples one by one up to a limit, which `extent` reports.
// With a `key`, looks only for that one.
absl::StatusOr<AttributeKeys> ListAttributes(const DataSource& source, const ProfileScope& scope,
                                             std::string_view key, size_t values_max,
                                             const ReadLimits& limits);

}  // namespace flarestack::query
