// SPDX-License-Identifier: Apache-2.0
//
// Protects reads of mapped files that others may truncate at any time. Without a guard, touching a
// page beyond the new end of the file kills the process (SIGBUS); with it, such a page reads as
// zeros.
//
//   const BusGuard guard(bytes);     // for as long as the mapping is read
//
// The first guard installs the handler, which stays installed. A fault outside guarded memory gets
// the previous handling. Thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace flarestack::base {

class BusGuard {
 public:
  static constexpr size_t kGuardsMax = 1 << 15;

  BusGuard() = default;
  // `mapped` is privately mapped memory. If there are too many guards, this one does nothing.
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
