// SPDX-License-Identifier: Apache-2.0
//
// Parses request parameters. All errors are kInvalidArgument and name the valid values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/text/pattern.h"
#include "server/api/endpoint.h"
#include "store/store.h"

namespace flarestack::server::api {

// The parameters common to nearly all endpoints, for the endpoint table.
std::vector<Parameter> ScopeParameters(std::initializer_list<Parameter> more = {});
std::vector<Parameter> RangeParameters(std::initializer_list<Parameter> more = {});

// Common to nearly all profile endpoints.
inline constexpr Parameter kScratch = {
    .name = kScratchParameter, .summary = "id of an upload to query instead of stored data"};

// A point in time. The default is the begin or end of an upload, or else `begin` and now.
enum class TimeDefault { kBegin, kEnd };
absl::StatusOr<uint64_t> ReadTime(const Call& call, std::optional<std::string_view> text,
                                  TimeDefault fallback, std::string_view begin = "now-1h");

// `from` and `to`. The default is the last hour, or the whole range of an upload.
absl::StatusOr<store::TimeRange> ReadRange(const Call& call, std::string_view from = "now-1h");

// `q`.
absl::StatusOr<std::vector<store::Matcher>> ReadSelector(const Call& call);

// A number within bounds. The error states them.
struct NumberBounds {
  uint64_t fallback = 0;
  uint64_t min = 0;
  uint64_t max = UINT64_MAX;
};
absl::StatusOr<uint64_t> ReadNumber(const Call& call, std::string_view name, NumberBounds bounds);

// A duration such as 20ms, in nanoseconds.
absl::StatusOr<uint64_t> ReadDuration(const Call& call, std::string_view name,
                                      std::string_view fallback);

// Literal text, or a regular expression between slashes: /^GET/.
struct TextOrPattern {
  std::string text;
  std::optional<base::Pattern> pattern;
};
absl::StatusOr<TextOrPattern> ReadTextOrPattern(const Call& call, std::string_view name);

// Decodes `bytes` bytes from hexadecimal digits. Empty text gives an empty id.
absl::StatusOr<std::string> ReadId(std::string_view text, size_t bytes, std::string_view what);

}  // namespace flarestack::server::api
