// SPDX-License-Identifier: Apache-2.0
//
// Which programs and libraries lack symbols, and how much of a profile that affects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"
#include "store/store.h"
#include "symbol/module.h"

namespace flarestack::query {

struct NamelessModule {
  symbol::Module module;
  int64_t self = 0;        // of stacks that end in a frame without a name
  int64_t total = 0;       // of stacks that contain one
  uint64_t addresses = 0;  // distinct
};

struct NamelessCosts {
  std::string type;
  int64_t total = 0;                    // of all stacks
  int64_t nameless = 0;                 // of stacks that contain a frame without a name
  std::vector<NamelessModule> modules;  // most expensive first
  ReadExtent extent;
};

// Ignores the filter of the scope.
absl::StatusOr<NamelessCosts> ReadNameless(const DataSource& source, const ProfileScope& scope,
                                           const ReadLimits& limits);

}  // namespace flarestack::query
