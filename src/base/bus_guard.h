// SPDX-License-Identifier: Apache-2.0
//
// Makes mapped files safe that others may cut short while we read them. Without it, touching a page
// that the file has no more ends the process (SIGBUS); with it, such a page reads as zeros.
//
//   const BusGuard guard(bytes);     // for as long as the mapping is read
//
// The handler is installed with the first guard and stays. A fault outside of guarded memory does
// what it did before. Thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace flarestack::base {

class BusGuard {
 public:
  static constexpr size_t kGuardsMax = 1 << 15;

  BusGuard() = default;
  // Memory that was mapped privately. When there are too many guards, this one does nothing.
  explicit BusGuard(std::string_view mapped);
  BusGuard(BusGuard&& other) noexcept;
  BusGuard& operator=(BusGuard&& other) noexcept;
  ~BusGuard();

  bool is_on() const { return slot_ != kNoSlot; }

 private:
  static constexpr size_t kNoSlot = kGuardsMax;

  size_t slot_ = kNoSlot;
};

}  // namespace flarestack::base
