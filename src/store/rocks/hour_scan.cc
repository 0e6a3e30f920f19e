// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/hour_scan.h"

#include "base/byte_io.h"
#include "base/status.h"
#include "store/rocks/keys.h"

namespace flarestack::store::rocks {
namespace {

uint32_t HourAt(const rocksdb::Iterator& at) {
  return base::ByteReader(ToView(at.key())).BigEndian<uint32_t>();
}

// Hours without entries are jumped over, so that a range without bounds costs nothing.
class HourWalk {
 public:
  HourWalk(const Database& database, const HourScan& scan)
      : at_(database.NewIterator(scan.family)),
        first_(HourOf(scan.range.from)),
        last_(HourOf(scan.range.to - 1)),
        is_forward_(scan.order == TimeOrder::kOldestFirst) {}

  absl::Status Run(const HourVisitor& visitor) {
    SeekBehind(is_forward_ ? first_ : last_ + 1);
    while (at_->Valid()) {
      const uint32_t hour = HourAt(*at_);
      if (hour < first_ || hour > last_)
        break;
      if (!is_forward_)
        at_->Seek(ToSlice(SamplePrefix(hour)));
      for (; at_->Valid() && HourAt(*at_) == hour; at_->Next())
        FLARE_RETURN_IF_ERROR(visitor.take(ToView(at_->key()), ToView(at_->value())));
      if (visitor.is_done())
        break;
      FLARE_RETURN_IF_ERROR(ToStatus(at_->status()));
      if (!is_forward_)
        SeekBehind(hour);
    }
    return ToStatus(at_->status());
  }

 private:
  // To the first entry of `hour` or later, or to the last one of an earlier hour.
  void SeekBehind(uint32_t hour) {
    const std::string prefix = SamplePrefix(hour);
    if (is_forward_)
      at_->Seek(ToSlice(prefix));
    else
      at_->SeekForPrev(ToSlice(prefix));
  }

  const std::unique_ptr<rocksdb::Iterator> at_;
  const uint32_t first_;
  const uint32_t last_;
  const bool is_forward_;
};

}  // namespace

absl::Status ScanHours(const Database& database, const HourScan& scan, const HourVisitor& visitor) {
  if (scan.range.from >= scan.range.to)
    return absl::OkStatus();
  return HourWalk(database, scan).Run(visitor);
}

}  // namespace flarestack::store::rocks
