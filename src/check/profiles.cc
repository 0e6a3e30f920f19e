// SPDX-License-Identifier: Apache-2.0
//
// Checks the fields of a profile: id, payload, times, types.
#include <algorithm>

#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::StrCat;

constexpr size_t kProfileIdBytes = 16;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kDay = uint64_t{24} * 3600 * kSecond;
constexpr uint64_t kYear1990 = 631'152'000 * kSecond;

void CheckId(const Context& in, const model::Profile& profile, const Path& at) {
  const std::string_view id = profile.profile_id;
  if (id.empty())
    return;
  if (id.size() != kProfileIdBytes) {
    in.findings.Add(Rule::kProfileId, at.Field("profile_id"), [&] {
      return StrCat(id.size(), " bytes; an id has ", kProfileIdBytes, " bytes, or is omitted");
    });
  } else if (std::ranges::all_of(id, [](char c) { return c == 0; })) {
    in.findings.Add(Rule::kProfileId, at.Field("profile_id"), [] {
      return "16 zero bytes, which is not a valid id; omit it if there is none";
    });
  }
}

void CheckPayload(const Context& in, const model::Profile& profile, const Path& at) {
  const std::string_view format = profile.original_payload_format;
  if (format.empty() && profile.original_payload.empty())
    return;
  if (format.empty()) {
    in.findings.Add(Rule::kOriginalPayloadPair, at.Field("original_payload_format"),
                    [] { return "not set, though original_payload is; set both or none"; });
    return;
  }
  if (profile.original_payload.empty()) {
    in.findings.Add(Rule::kOriginalPayloadPair, at.Field("original_payload"),
                    [] { return "not set, though original_payload_format is; set both or none"; });
  }
  if (format != "pprof" && format != "jfr" && format != "linux_perf") {
    in.findings.Add(Rule::kOriginalPayloadFormat, at.Field("original_payload_format"), [&] {
      return StrCat(Quote(format), " is not a known format: pprof, jfr or linux_perf");
    });
  }
}

// The unit in which the number would be a current time.
std::string_view LikelyUnit(uint64_t time, uint64_t now) {
  constexpr uint64_t kUnitsPerSecond[] = {1, 1000, 1000000};
  constexpr std::string_view kNames[] = {"seconds", "milliseconds", "microseconds"};
  const uint64_t now_seconds = now / kSecond;
  for (size_t i = 0; i < std::size(kUnitsPerSecond); ++i) {
    const uint64_t seconds = time / kUnitsPerSecond[i];
    if (seconds >= kYear1990 / kSecond && seconds <= now_seconds + kDay / kSecond)
      return kNames[i];
  }
  return {};
}

void CheckTimes(const Context& in, const model::Profile& profile, const Path& at) {
  const uint64_t time = profile.time_unix_nano;
  if (time != 0 && (time < kYear1990 || time > in.now_unix_nano + kDay)) {
    in.findings.Add(Rule::kTimePlausible, at.Field("time_unix_nano"), [&] {
      const std::string_view unit = LikelyUnit(time, in.now_unix_nano);
      return StrCat(time, time < kYear1990 ? " is before 1990" : " is more than a day from now",
                    unit.empty()
                        ? StrCat("; times are nanoseconds since 1970")
                        : StrCat("; this looks like ", unit, ", but the unit is nanoseconds"));
    });
  }
  if (profile.duration_nano > kDay) {
    in.findings.Add(Rule::kDurationPlausible, at.Field("duration_nano"), [&] {
      return StrCat(profile.duration_nano, " nanoseconds are more than a day");
    });
  }
}

void CheckTypes(const Context& in, const model::Profile& profile, const Path& at) {
  // Index out of range is reported by another rule.
  if (profile.sample_type.type.value < in.tables.strings.size() &&
      !in.HasText(profile.sample_type.type)) {
    in.findings.Add(Rule::kSampleTypeMissing, at.Field("sample_type"), [] {
      return "not set, so the values have no meaning; set a type, such as cpu in nanoseconds";
    });
  }
  const bool has_type = profile.period_type.type || profile.period_type.unit;
  if (profile.period < 0) {
    in.findings.Add(Rule::kPeriodNegative, at.Field("period"), [&] {
      return StrCat(profile.period, "; a period is the interval between samples");
    });
  } else if (profile.period != 0 && !has_type) {
    in.findings.Add(Rule::kPeriodType, at.Field("period_type"), [&] {
      return StrCat("not set, though the period is ", profile.period, "; set both or none");
    });
  } else if (profile.period == 0 && has_type) {
    in.findings.Add(Rule::kPeriodType, at.Field("period"),
                    [] { return "not set, though period_type is; set both or none"; });
  }
}

}  // namespace

void CheckProfiles(const Context& in) {
  ForEachProfile(in, [&](const model::Profile& profile, const Path& at) {
    CheckId(in, profile, at);
    CheckPayload(in, profile, at);
    CheckTimes(in, profile, at);
    CheckTypes(in, profile, at);
  });
}

}  // namespace flarestack::check
