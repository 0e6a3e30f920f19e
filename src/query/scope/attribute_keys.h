// SPDX-License-Identifier: Apache-2.0
//
// Which attributes a scope has, of resources and of samples, and with which values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class AttributeLevel { kResource, kSample };

struct AttributeKeyInfo {
  std::string key;
  AttributeLevel level = AttributeLevel::kResource;
  uint64_t value_count = 0;         // distinct
  std::vector<std::string> values;  // sorted; not all where there are many
};

struct AttributeKeys {
  std::vector<AttributeKeyInfo> keys;  // by key
  ReadExtent extent;
};

// Resources are looked at through the index, samples one by one up to a limit, which the extent
// then says. With a `key`, only that one is looked for.
absl::StatusOr<AttributeKeys> ListAttributes(store::Store* store, const ProfileScope& scope,
                                             std::string_view key, size_t values_max,
                                             const ReadLimits& limits);

}  // namespace flarestack::query
