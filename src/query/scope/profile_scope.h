// SPDX-License-Identifier: Apache-2.0
//
// The scope of a query: which profiles, which time range, which filters. Reading it returns the set
// of stacks that reports, flame graphs and comparisons start from.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/stacks/filter.h"
#include "query/stacks/stack_set.h"
#include "query/stacks/stack_set_builder.h"
#include "store/store.h"

namespace flarestack::query {

struct ProfileScope {
  std::vector<store::Matcher> matchers;
  std::string type;  // a short name or name:unit; empty: CPU time if there is some
  store::TimeRange range;
  Filter filter;
  std::vector<store::SpanRef> spans;  // if set: only samples of one of these
  std::vector<std::string> tag_keys;  // attributes to keep, besides those the filter needs
  bool by_instance = false;           // see StackSetOptions
  bool keeps_places = false;          // the same
};

// When to stop a read. It then returns the data read so far.
struct ReadLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool(uint64_t bytes)> try_reserve;           // see store::ProfileQuery
  std::function<bool(const store::ReadProgress&)> progress;  // returning false stops it as well
};

// How much was read, and which parts are missing.
struct ReadExtent {
  uint64_t parts = 0;
  uint64_t rows = 0;
  std::string missing;  // as shown to users; empty: complete
};

struct ScopeStacks {
  StackSet set;
  int64_t total_before_filter = 0;
  ReadExtent extent;
};
absl::StatusOr<ScopeStacks> ReadStacks(const DataSource& source, const ProfileScope& scope,
                                       const ReadLimits& limits);

// The type used if none is given: CPU time if these series have some, else wall time, waits, memory
// in use, allocated memory, else the first by name. Empty if there are none.
absl::StatusOr<std::string> DefaultType(const DataSource& source,
                                        const std::vector<store::Matcher>& matchers);

// Whether any of these keys is not a resource attribute, so that samples must be read.
absl::StatusOr<bool> NeedsSamples(const DataSource& source,
                                  const std::vector<std::string>& tag_keys);

// Options for turning a batch of this scope into stacks, keeping these attributes besides those its
// filter needs. The scope must name a type.
StackSetOptions SetOptionsFor(const ProfileScope& scope, const std::vector<std::string>& tag_keys);

// Adds all profiles of a batch that was read for a scope. A short type name covers types that
// profilers name differently. They are summed in the unit that most of them have, and those with
// another unit are reported as missing. `rows` may be null.
absl::Status AddTypes(const model::Batch& batch, StackSetBuilder* builder, RowsOfSamples* rows,
                      ReadExtent* extent);

// A store query for this scope that respects the limits. Fills `extent` while it runs. All three
// arguments must outlive the query.
store::ProfileQuery QueryFor(const ProfileScope& scope, const ReadLimits& limits,
                             ReadExtent* extent);

}  // namespace flarestack::query
