// SPDX-License-Identifier: Apache-2.0
//
// What the parameters of a request mean. All errors are kInvalidArgument and say what would be
// right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pattern.h"
#include "server/api/endpoint.h"
#include "store/store.h"

namespace flarestack::server::api {

// The parameters that nearly all endpoints have, for their rows of the table.
std::vector<Parameter> ScopeParameters(std::initializer_list<Parameter> more = {});
std::vector<Parameter> RangeParameters(std::initializer_list<Parameter> more = {});

// In nearly all endpoints about profiles.
inline constexpr Parameter kScratch = {
    .name = kScratchParameter, .summary = "id of an upload to query instead of stored data"};

// A point in time. Where it is not given, the begin or end of an upload; else `begin`, and now.
enum class TimeDefault { kBegin, kEnd };
absl::StatusOr<uint64_t> ReadTime(const Call& call, std::optional<std::string_view> text,
                                  TimeDefault fallback, std::string_view begin = "now-1h");

// `from` and `to`; the hour before now where they are not given, and all of an upload.
absl::StatusOr<store::TimeRange> ReadRange(const Call& call, std::string_view from = "now-1h");

// `q`.
absl::StatusOr<std::vector<store::Matcher>> ReadSelector(const Call& call);

// A number between bounds, which are part of the error.
struct NumberBounds {
  uint64_t fallback = 0;
  uint64_t min = 0;
  uint64_t max = UINT64_MAX;
};
absl::StatusOr<uint64_t> ReadNumber(const Call& call, std::string_view name, NumberBounds bounds);

// A duration such as 20ms, in nanoseconds.
absl::StatusOr<uint64_t> ReadDuration(const Call& call, std::string_view name,
                                      std::string_view fallback);

// A text as it stands, or a regular expression between slashes: /^GET/.
struct TextOrPattern {
  std::string text;
  std::optional<base::Pattern> pattern;
};
absl::StatusOr<TextOrPattern> ReadTextOrPattern(const Call& call, std::string_view name);

// `bytes` bytes as hexadecimal digits; empty where the text is.
absl::StatusOr<std::string> ReadId(std::string_view text, size_t bytes, std::string_view what);

}  // namespace flarestack::server::api
