// SPDX-License-Identifier: Apache-2.0
//
// The first items of a question in the order of time, however they are met: the store's keys go by
// hour and resource, and whoever asks wants the newest of all resources, page by page.
//
//   position = time, resource and what tells items of one time apart, big endian
//
// Positions are unique and sort as text, so that going on behind one neither repeats nor loses an
// item, also where many have the same time. No more items are held than are asked for.
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
  // kInvalidArgument where `after` is neither empty nor a position.
  static absl::StatusOr<ItemPage> Make(TimeOrder order, std::string_view after, size_t limit);

  // The part of `range` in which there can still be something.
  TimeRange Narrow(TimeRange range) const;

  // Whether an item is behind `after` and among the first ones so far.
  bool Wants(std::string_view position) const;
  void Add(std::string position, StoredItem item);  // must be wanted

  // Whether nothing is wanted that is later in the order than all of what was met.
  bool is_full() const { return items_.size() > limit_; }

  uint64_t held_bytes() const { return held_bytes_; }

  // In order.
  struct Taken {
    std::vector<StoredItem> items;
    std::string next;  // where to go on; empty: there was nothing more
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
  // A heap with the last one in front. One more than the limit, which tells whether there is more.
  std::vector<Entry> items_;
  uint64_t held_bytes_ = 0;  // of items_, roughly
};

}  // namespace flarestack::store::rocks
