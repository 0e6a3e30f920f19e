// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/signals/item_page.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "base/check.h"

namespace flarestack::store::rocks {
namespace {

constexpr size_t kRestBytes = 8;
constexpr size_t kPositionBytes = sizeof(uint64_t) + sizeof(uint32_t) + kRestBytes;

// The stored item, and its copy in the batch.
uint64_t HeldBytes(const StoredItem& item) { return 256 + 2 * item.bytes.size(); }

}  // namespace

std::string ItemPosition(uint64_t time, uint32_t resource, std::string_view rest) {
  FLARE_CHECK(rest.size() == kRestBytes, rest.size());
  std::string position;
  base::AppendBigEndian(time, &position);
  base::AppendBigEndian(resource, &position);
  position += rest;
  return position;
}

absl::StatusOr<ItemPage> ItemPage::Make(TimeOrder order, std::string_view after, size_t limit) {
  if (!after.empty() && after.size() != kPositionBytes)
    return absl::InvalidArgumentError("invalid cursor");
  return ItemPage(order, after, limit);
}

TimeRange ItemPage::Narrow(TimeRange range) const {
  if (after_.empty())
    return range;
  const auto time = base::ByteReader(after_).BigEndian<uint64_t>();
  if (order_ == TimeOrder::kOldestFirst)
    range.from = std::max(range.from, time);
  else if (time < UINT64_MAX)
    range.to = std::min(range.to, time + 1);
  return range;
}

bool ItemPage::Wants(std::string_view position) const {
  if (!after_.empty() && !IsBefore(after_, position))
    return false;
  return !is_full() || IsBefore(position, items_.front().first);
}

void ItemPage::Add(std::string position, StoredItem item) {
  const auto before = [&](const Entry& a, const Entry& b) { return IsBefore(a.first, b.first); };
  items_.emplace_back(std::move(position), std::move(item));
  held_bytes_ += HeldBytes(items_.back().second);
  std::ranges::push_heap(items_, before);
  if (items_.size() > limit_ + 1) {
    std::ranges::pop_heap(items_, before);
    held_bytes_ -= HeldBytes(items_.back().second);
    items_.pop_back();
  }
}

ItemPage::Taken ItemPage::Take() && {
  std::ranges::sort_heap(
      items_, [&](const Entry& a, const Entry& b) { return IsBefore(a.first, b.first); });
  Taken taken;
  if (items_.size() > limit_) {
    items_.pop_back();
    if (!items_.empty())
      taken.next = items_.back().first;
  }
  taken.items.reserve(items_.size());
  for (Entry& entry : items_)
    taken.items.push_back(std::move(entry.second));
  return taken;
}

}  // namespace flarestack::store::rocks
