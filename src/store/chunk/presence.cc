// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/presence.h"

#include <algorithm>

namespace flarestack::store {

std::vector<bool> Presence::Covered(Tail tail) const {
  std::vector<uint32_t> snapshots;
  for (uint32_t cell = 0; cell < cell_count(); ++cell) {
    if (marked_[cell])
      snapshots.push_back(cell);
  }
  std::vector<bool> covered = marked_;
  const auto cover = [&](uint32_t first, uint64_t end) {
    for (uint64_t cell = first; cell < std::min<uint64_t>(end, cell_count()); ++cell)
      covered[cell] = true;
  };
  if (snapshots.size() == 1)
    cover(snapshots[0], uint64_t{snapshots[0]} + tail.cells_of_single);
  if (snapshots.size() < 2)
    return covered;
  // The usual interval is the median: the minimum could come from an on-demand snapshot.
  std::vector<uint32_t> gaps;
  for (size_t i = 1; i < snapshots.size(); ++i)
    gaps.push_back(snapshots[i] - snapshots[i - 1]);
  std::ranges::nth_element(gaps, gaps.begin() + static_cast<ptrdiff_t>(gaps.size() / 2));
  const uint32_t interval = gaps[gaps.size() / 2];
  for (size_t i = 0; i < snapshots.size(); ++i) {
    const bool is_last = i + 1 == snapshots.size();
    if (!is_last && snapshots[i + 1] - snapshots[i] <= uint64_t{kIntervalsJoined} * interval)
      cover(snapshots[i], snapshots[i + 1]);
    else
      cover(snapshots[i], snapshots[i] + uint64_t{tail.intervals} * interval);
  }
  return covered;
}

std::vector<double> SharesOfTime(std::span<const std::vector<bool>> covered) {
  std::vector<bool> any;
  for (const std::vector<bool>& one : covered) {
    any.resize(std::max(any.size(), one.size()), false);
    for (size_t cell = 0; cell < one.size(); ++cell) {
      if (one[cell])
        any[cell] = true;
    }
  }
  const auto total = static_cast<double>(std::ranges::count(any, true));
  std::vector<double> shares;
  shares.reserve(covered.size());
  for (const std::vector<bool>& one : covered)
    shares.push_back(total == 0 ? 1 : static_cast<double>(std::ranges::count(one, true)) / total);
  return shares;
}

}  // namespace flarestack::store
