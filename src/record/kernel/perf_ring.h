// SPDX-License-Identifier: Apache-2.0
//
// The ring buffer into which the kernel writes the records of one perf event.
//
//   [control page | data, a power of two of pages, written round and round]
//
// Read by one thread at a time. Copied bytes stay in the ring buffer until Consume allows the
// kernel to overwrite them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Appends the bytes [from, to) of a ring buffer. The positions increase monotonically and do not
// wrap. data.size() is a power of two, and to - from is at most that.
void AppendRingBytes(std::string_view data, uint64_t from, uint64_t to, std::string* out);

class PerfRing {
 public:
  // `data_bytes` is a power of two and at least a page. The event must stay open.
  static absl::StatusOr<PerfRing> Map(int perf_fd, size_t data_bytes);

  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&&) = delete;
  ~PerfRing();

  // The kernel's write position; at least tail().
  uint64_t LoadHead() const;
  uint64_t tail() const { return tail_; }

  // Appends the bytes between tail() and `head`, a result of LoadHead.
  void CopyUpTo(uint64_t head, std::string* out) const;

  // Returns the first `bytes` after tail() to the kernel.
  void Consume(uint64_t bytes);

 private:
  PerfRing(void* memory, size_t data_bytes) : memory_(memory), data_bytes_(data_bytes) {}

  void* memory_;
  size_t data_bytes_;
  uint64_t tail_ = 0;
};

}  // namespace flarestack::record::agent
