// SPDX-License-Identifier: Apache-2.0
//
// What somebody looks at: which profiles, of which time, through which filters. Reading it gives
// the set of stacks that reports, flame graphs and comparisons start from.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/stacks/filter.h"
#include "query/stacks/stack_set.h"
#include "query/stacks/stack_set_builder.h"
#include "store/store.h"

namespace flarestack::query {

struct ProfileScope {
  std::vector<store::Matcher> matchers;
  std::string type;  // a short name or name:unit; empty: CPU time where there is some
  store::TimeRange range;
  Filter filter;
  std::vector<store::SpanRef> spans;  // when set: only samples of one of these
  std::vector<std::string> tag_keys;  // attributes to keep, besides those that the filter needs
  bool by_instance = false;           // see StackSetOptions
  bool keeps_places = false;          // the same
};

// When a read is to end, with what it has then.
struct ReadLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool(uint64_t bytes)> try_reserve;           // see store::ProfileQuery
  std::function<bool(const store::ReadProgress&)> progress;  // a no ends it as well
};

// How much was read, and what was not.
struct ReadExtent {
  uint64_t parts = 0;
  uint64_t rows = 0;
  std::string missing;  // as people are told; empty: all is there
};

struct ScopeStacks {
  StackSet set;
  int64_t total_before_filter = 0;
  ReadExtent extent;
};
absl::StatusOr<ScopeStacks> ReadStacks(store::Store* store, const ProfileScope& scope,
                                       const ReadLimits& limits);

// The type that is meant by an empty one: CPU time where these series have some, else wall time,
// waits, memory in use, allocated memory, else the first by name. Empty where there are none.
absl::StatusOr<std::string> DefaultType(store::Store* store,
                                        const std::vector<store::Matcher>& matchers);

// Whether one of these attributes is none of resources, so that samples must be looked at.
absl::StatusOr<bool> NeedsSamples(store::Store* store, const std::vector<std::string>& tag_keys);

// How a batch that was read for a scope becomes stacks, with these attributes kept besides those
// that its filter needs. The scope must name a type.
StackSetOptions SetOptionsFor(const ProfileScope& scope, const std::vector<std::string>& tag_keys);

// Adds all profiles of a batch that was read for a scope. A short name of a type stands for what
// profilers call differently: it is added up in the one unit that most of it has, and what has
// another is said to be missing. `rows` may be null.
absl::Status AddTypes(const model::Batch& batch, StackSetBuilder* builder, RowsOfSamples* rows,
                      ReadExtent* extent);

// A store query for this scope that keeps to the limits; `extent` is filled while it runs. All
// three must outlive the query.
store::ProfileQuery QueryFor(const ProfileScope& scope, const ReadLimits& limits,
                             ReadExtent* extent);

}  // namespace flarestack::query
