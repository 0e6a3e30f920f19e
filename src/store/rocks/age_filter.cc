// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/age_filter.h"

#include "base/byte_io.h"
#include "store/rocks/keys.h"

namespace flarestack::store::rocks {
namespace {

constexpr uint32_t kHoursPerDay = 24;

// Sample times may be a day ahead of the day on which their entries were written.
constexpr uint32_t kDaysSpared = 2;

uint32_t HourAt(std::string_view bytes, size_t position) {
  base::ByteReader in(bytes);
  in.Take(position);
  const uint32_t hour = in.BigEndian<uint32_t>();
  return in.ok() ? hour : UINT32_MAX;
}

// An entry of the dictionary is stamped anew on each day it is used.
bool IsOldEntry(uint32_t day, uint32_t oldest_hour) {
  return day + kDaysSpared < oldest_hour / kHoursPerDay;
}

}  // namespace

bool AgeFilter::AppliesTo(Family family) {
  return family == Family::kSpans || family == Family::kLinks || family == Family::kLogTraces ||
         family == Family::kProfileIds || family == Family::kDictionary || family == Family::kIds;
}

bool AgeFilter::Filter(int /*level*/, const rocksdb::Slice& key_slice,
                       const rocksdb::Slice& value_slice, std::string* /*new_value*/,
                       bool* /*value_changed*/) const {
  const std::string_view key = ToView(key_slice);
  const std::string_view value = ToView(value_slice);
  switch (family_) {
    case Family::kSpans: {
      base::ByteReader in(value);
      const auto start = in.BigEndian<uint64_t>();
      return in.ok() && HourOf(start) < oldest_hours_.of(Signal::kTraces);
    }
    case Family::kProfileIds:
      return HourAt(value, 0) < oldest_hours_.of(Signal::kProfiles);
    case Family::kLinks:
      return HourAt(key, kLinkPrefixBytes) < oldest_hours_.of(Signal::kProfiles);
    case Family::kLogTraces:
      return HourAt(key, 24) < oldest_hours_.of(Signal::kLogs);
    case Family::kDictionary: {
      base::ByteReader in(value);
      const uint32_t day = in.Varint32();
      return in.ok() && IsOldEntry(day, oldest_hours_.of_all());
    }
    case Family::kIds: {
      // Series keep their numbers for ever: their records have no day.
      if (key.starts_with(static_cast<char>(Table::kSeries)) ||
          key.starts_with(static_cast<char>(Table::kMetric)))
        return false;
      base::ByteReader in(value);
      in.Varint32();
      const uint32_t day = in.Varint32();
      return in.ok() && IsOldEntry(day, oldest_hours_.of_all());
    }
    default:
      return false;
  }
}

}  // namespace flarestack::store::rocks
