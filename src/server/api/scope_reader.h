// SPDX-License-Identifier: Apache-2.0
//
// Reads the scope of a profile request from its parameters, and the stacks in that scope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

// `prefix` is "b." for the other side of a comparison. Its parameters default to those of the first
// side, except for the time range of another data set.
absl::StatusOr<query::ProfileScope> ReadScope(const Call& call, std::string_view prefix = {});

// Reads for one request, within its memory budget and deadline.
class ScopeReader {
 public:
  explicit ScopeReader(const Call& call)
      : source_(call.source()),
        report_(call.report),
        lease_(std::make_unique<base::ByteLease>(call.budget)),
        deadline_(call.deadline) {}

  // The limits are valid as long as the reader exists.
  query::ReadLimits Limits();
  absl::StatusOr<query::ScopeStacks> Stacks(const query::ProfileScope& scope);

 private:
  const query::DataSource& source_;
  std::function<bool(const store::ReadProgress&)> report_;
  std::unique_ptr<base::ByteLease> lease_;
  std::chrono::steady_clock::time_point deadline_;
};

Scanned ScannedFrom(const query::ReadExtent& extent);

// The field `empty` of a response; null if there is data.
absl::StatusOr<Json> EmptyFrom(const Call& call, const query::ProfileScope& scope,
                               const query::ScopeStacks& stacks);

// The common fields of profile responses: type, unit, total.
Json ProfileHead(const query::StackSet& set);

inline constexpr Parameter kTimeoutParameter = {
    .name = "timeout", .summary = "return partial results after this time", .fallback = "30s"};

}  // namespace flarestack::server::api
