// SPDX-License-Identifier: Apache-2.0
//
// Estimates from its snapshots when an instance was running. The time range is cut into cells
// (minutes or chart steps). The instance was present in cells that have a snapshot, and between two
// snapshots that are no further apart than usual.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flarestack::store {

// An instance counts as absent between snapshots that are more than this many usual intervals
// apart.
inline constexpr uint32_t kIntervalsJoined = 3;

class Presence {
 public:
  explicit Presence(uint32_t cell_count) : marked_(cell_count, false) {}

  void Mark(uint32_t cell) { marked_[cell] = true; }
  bool IsMarked(uint32_t cell) const { return marked_[cell]; }
  uint32_t cell_count() const { return static_cast<uint32_t>(marked_.size()); }

  // How long the last snapshot counts: in intervals, or in cells if there is only one snapshot.
  struct Tail {
    uint32_t intervals = 1;
    uint32_t cells_of_single = 1;
  };
  // Per cell: whether the instance was present.
  std::vector<bool> Covered(Tail tail) const;

 private:
  std::vector<bool> marked_;
};

// For each instance, the fraction of the time in which it was present, relative to the time in
// which any instance was. This is the weight of its average in the overall average.
std::vector<double> SharesOfTime(std::span<const std::vector<bool>> covered);

}  // namespace flarestack::store
