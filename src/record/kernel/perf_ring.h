// SPDX-License-Identifier: Apache-2.0
//
// The memory into which the kernel writes the records of one perf event, and from which we read.
//
//   [control page | data, a power of two of pages, written round and round]
//
// Read by one thread at a time. What was copied stays in the ring until Consume says how much of it
// may be overwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Appends the bytes [from, to) of a ring, which count on when it begins anew. data.size() is a
// power of two, and to - from at most that.
void AppendRingBytes(std::string_view data, uint64_t from, uint64_t to, std::string* out);

class PerfRing {
 public:
  // `data_bytes` is a power of two and at least a page. The event must stay open.
  static absl::StatusOr<PerfRing> Map(int perf_fd, size_t data_bytes);

  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&&) = delete;
  ~PerfRing();

  // How far the kernel has written; at least tail().
  uint64_t LoadHead() const;
  uint64_t tail() const { return tail_; }

  // Appends what was written between tail() and `head`, which came from LoadHead.
  void CopyUpTo(uint64_t head, std::string* out) const;

  // Gives the first `bytes` behind tail() back to the kernel.
  void Consume(uint64_t bytes);

 private:
  PerfRing(void* memory, size_t data_bytes) : memory_(memory), data_bytes_(data_bytes) {}

  void* memory_;
  size_t data_bytes_;
  uint64_t tail_ = 0;
};

}  // namespace flarestack::record::agent
