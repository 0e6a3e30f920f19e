// SPDX-License-Identifier: Apache-2.0
//
// Collects the first items of a query in time order, regardless of their read order. The store's
// keys are ordered by hour and resource, but clients want the newest items of all resources, page
// by page.
//
//   position = time, resource and bytes that distinguish items of one time, big endian
//
// Positions are unique and sort as text. So continuing after one neither repeats nor loses an item,
// even if many have the same time. At most one item more than the limit is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "store/rocks/signals/signal_envelope.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// `rest` has eight bytes.
std::string ItemPosition(uint64_t time, uint32_t resource, std::string_view rest);

class ItemPage {
 public:
  // Returns kInvalidArgument if `after` is neither empty nor a position.
  static absl::StatusOr<ItemPage> Make(TimeOrder order, std::string_view after, size_t limit);

  // The part of `range` that may still have items.
  TimeRange Narrow(TimeRange range) const;

  // Whether an item comes after `after` and is among the first items so far.
  bool Wants(std::string_view position) const;
  void Add(std::string position, StoredItem item);  // Wants(position) must be true

  // Whether items that come later in the order than all items so far are no longer wanted.
  bool is_full() const { return items_.size() > limit_; }

  uint64_t held_bytes() const { return held_bytes_; }

  // In order.
  struct Taken {
    std::vector<StoredItem> items;
    std::string next;  // where to continue; empty: no more items
  };
  Taken Take() &&;

 private:
  using Entry = std::pair<std::string, StoredItem>;

  ItemPage(TimeOrder order, std::string_view after, size_t limit)
      : order_(order), after_(after), limit_(limit) {}
  bool IsBefore(std::string_view a, std::string_view b) const {
    return order_ == TimeOrder::kOldestFirst ? a < b : a > b;
  }

  TimeOrder order_;
  std::string after_;
  size_t limit_;
  // A heap with the last item in front. It has one more than the limit, which shows whether there
  // is another page.
  std::vector<Entry> items_;
  uint64_t held_bytes_ = 0;  // of items_, approximately
};

}  // namespace flarestack::store::rocks
