// SPDX-License-Identifier: Apache-2.0
//
// When an instance was there, judged by its snapshots. A range of time is cut into cells (minutes
// or steps of a chart); the instance is there in the cells that have a snapshot, and between two
// snapshots that are not further apart than they usually are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flarestack::store {

// An instance is gone between snapshots that are more than this many usual intervals apart.
inline constexpr uint32_t kIntervalsJoined = 3;

class Presence {
 public:
  explicit Presence(uint32_t cell_count) : marked_(cell_count, false) {}

  void Mark(uint32_t cell) { marked_[cell] = true; }
  bool IsMarked(uint32_t cell) const { return marked_[cell]; }
  uint32_t cell_count() const { return static_cast<uint32_t>(marked_.size()); }

  // How long the last snapshot counts, in intervals; and where there is only one, in cells.
  struct Tail {
    uint32_t intervals = 1;
    uint32_t cells_of_single = 1;
  };
  // By cell: whether the instance was there.
  std::vector<bool> Covered(Tail tail) const;

 private:
  std::vector<bool> marked_;
};

// For each instance, the part of the time in which it was there, of that in which any was: what its
// average counts in the average of all together.
std::vector<double> SharesOfTime(std::span<const std::vector<bool>> covered);

}  // namespace flarestack::store
