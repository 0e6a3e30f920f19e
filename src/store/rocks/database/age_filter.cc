// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/age_filter.h"

#include "base/byte_reader.h"
#include "store/rocks/database/entry_stamp.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

bool AgeFilter::AppliesTo(Family family) {
  return family == Family::kDictionary || family == Family::kIds;
}

bool AgeFilter::Filter(int /*level*/, const rocksdb::Slice& key_slice,
                       const rocksdb::Slice& value_slice, std::string* /*new_value*/,
                       bool* /*value_changed*/) const {
  const std::string_view key = ToView(key_slice);
  const std::string_view value = ToView(value_slice);
  switch (family_) {
    case Family::kDictionary: {
      base::ByteReader in(value);
      const uint32_t stamp = in.Varint32();
      return in.ok() && IsOutdated(stamp, oldest_hours_.of_all());
    }
    case Family::kIds: {
      // Series keep their numbers forever: their records have no stamp.
      if (key.starts_with(static_cast<char>(Table::kSeries)) ||
          key.starts_with(static_cast<char>(Table::kMetric)))
        return false;
      base::ByteReader in(value);
      in.Varint32();
      const uint32_t stamp = in.Varint32();
      return in.ok() && IsOutdated(stamp, oldest_hours_.of_all());
    }
    default:
      return false;
  }
}

}  // namespace flarestack::store::rocks
