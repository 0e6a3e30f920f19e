// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/minute_totals.h"

#include <numeric>

#include "base/byte_reader.h"
#include "base/saturating.h"

namespace flarestack::store {
namespace {

constexpr char kVersion = 2;
constexpr char kVersionWithoutProfiles = 1;

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
  std::string out(1, kVersion);
  base::AppendVarint(static_cast<uint64_t>(divisor), &out);
  for (const int64_t total : totals.values)
    base::AppendSigned(total / divisor, &out);
  for (const uint64_t count : totals.profiles)
    base::AppendVarint(count, &out);
  return out;
}

absl::Status DecodeMinuteTotals(std::string_view bytes, MinuteTotals* totals) {
  if (bytes.empty() || (bytes[0] != kVersion && bytes[0] != kVersionWithoutProfiles))
    return absl::DataLossError("roll-up of totals: unsupported version");
  base::ByteReader in(bytes.substr(1));
  const auto divisor = static_cast<int64_t>(in.Varint());
  for (int64_t& total : totals->values)
    total = base::SaturatingMultiply(in.Signed(), divisor);
  totals->has_profiles = bytes[0] == kVersion;
  totals->profiles = {};
  for (size_t i = 0; totals->has_profiles && i < totals->profiles.size(); ++i)
    totals->profiles[i] = in.Varint();
  return in.AtEnd() ? absl::OkStatus()
                    : absl::DataLossError("roll-up of totals: truncated or too long");
}

}  // namespace flarestack::store
