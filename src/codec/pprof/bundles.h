// SPDX-License-Identifier: Apache-2.0
//
// Defines how the profiles of an OTLP message become the columns of one pprof profile. pprof has
// several values per sample, OTLP has one profile per value; the profiles of a scope that belong
// together are a bundle, and each of them has a column. Both directions use this code, so that they
// agree.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/batch.h"

namespace flarestack::codec::pprof {

struct Column {
  std::string_view type;
  std::string_view unit;
  uint32_t repeat = 0;  // 0 for the first of its type and unit in a bundle, 1 for the second, ...
  friend bool operator==(const Column&, const Column&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const Column& column) {
    return H::combine(std::move(h), column.type, column.unit, column.repeat);
  }
};

inline constexpr uint32_t kNoProfile = 0xffffffff;

struct Bundle {
  uint32_t resource = 0;
  uint32_t scope = 0;                     // in Batch::scopes
  std::vector<uint32_t> profile_columns;  // by column; kNoProfile if this bundle has none
};

struct Bundles {
  std::vector<Column> columns;
  std::vector<Bundle> bundles;
};

// The order of columns follows pprof.scope.sample_type_order. A scope without it is read the way
// other converters write it, with the first and the last profile swapped (pprof shows the last
// column by default, OTLP the first profile).
Bundles BundlesOf(const model::Batch& batch);

}  // namespace flarestack::codec::pprof
