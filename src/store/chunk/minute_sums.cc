// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/minute_sums.h"

#include <numeric>

#include "base/byte_reader.h"
#include "base/saturating.h"
#include "base/status.h"

namespace flarestack::store {
namespace {

constexpr char kVersion = 1;
constexpr char kTotalsVersion = 2;
constexpr char kTotalsVersionWithoutProfiles = 1;

// Values are mostly multiples of a profiler's period. Divided by it, they take one or two bytes
// instead of five.
int64_t CommonDivisor(const MinuteTotals& totals) {
  uint64_t divisor = 0;
  for (const int64_t total : totals.values) {
    const auto bits = static_cast<uint64_t>(total);
    divisor = std::gcd(divisor, total < 0 ? 0 - bits : bits);
  }
  return divisor == 0 || divisor > INT64_MAX ? 1 : static_cast<int64_t>(divisor);
}

}  // namespace

std::string EncodeMinuteSums(const MinuteSums& minutes) {
  std::string out(1, kVersion);
  for (uint32_t minute = 0; minute < kMinutesPerHour; ++minute) {
    if (minutes[minute] == StackSums())
      continue;
    const std::string sums = EncodeStackSums(minutes[minute]);
    base::AppendVarint(minute, &out);
    base::AppendVarint(sums.size(), &out);
    out += sums;
  }
  return out;
}

absl::Status ForEachMinute(std::string_view bytes, MinuteRange range,
                           absl::FunctionRef<void(uint32_t minute, const StackSums&)> take) {
  if (bytes.empty() || bytes[0] != kVersion)
    return absl::DataLossError("roll-up of minutes: unsupported version");
  base::ByteReader in(bytes.substr(1));
  StackSums sums;
  while (!in.rest().empty()) {
    const uint32_t minute = in.Varint32();
    const std::string_view encoded = in.Bytes();
    if (!in.ok() || minute >= kMinutesPerHour)
      return absl::DataLossError("roll-up of minutes: truncated");
    if (minute < range.first || minute >= range.end)
      continue;
    FLARE_RETURN_IF_ERROR(DecodeStackSums(encoded, &sums));
    take(minute, sums);
  }
  return absl::OkStatus();
}

MinuteTotals TotalsOf(const MinuteSums& minutes) {
  MinuteTotals totals;
  for (uint32_t minute = 0; minute < kMinutesPerHour; ++minute) {
    for (const StackSum& sum : minutes[minute].stacks)
      totals.values[minute] = base::SaturatingAdd(totals.values[minute], sum.value);
    totals.profiles[minute] = minutes[minute].profile_count;
  }
  return totals;
}

std::string EncodeMinuteTotals(const MinuteTotals& totals) {
  const int64_t divisor = CommonDivisor(totals);
  std::string out(1, kTotalsVersion);
  base::AppendVarint(static_cast<uint64_t>(divisor), &out);
  for (const int64_t total : totals.values)
    base::AppendSigned(total / divisor, &out);
  for (const uint64_t count : totals.profiles)
    base::AppendVarint(count, &out);
  return out;
}

absl::Status DecodeMinuteTotals(std::string_view bytes, MinuteTotals* totals) {
  if (bytes.empty() || (bytes[0] != kTotalsVersion && bytes[0] != kTotalsVersionWithoutProfiles))
    return absl::DataLossError("roll-up of totals: unsupported version");
  base::ByteReader in(bytes.substr(1));
  const auto divisor = static_cast<int64_t>(in.Varint());
  for (int64_t& total : totals->values)
    total = base::SaturatingMultiply(in.Signed(), divisor);
  totals->has_profiles = bytes[0] == kTotalsVersion;
  totals->profiles = {};
  for (size_t i = 0; totals->has_profiles && i < totals->profiles.size(); ++i)
    totals->profiles[i] = in.Varint();
  return in.AtEnd() ? absl::OkStatus()
                    : absl::DataLossError("roll-up of totals: truncated or too long");
}

}  // namespace flarestack::store
