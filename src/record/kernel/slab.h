// SPDX-License-Identifier: Apache-2.0
//
// Allocates ranges of a table whose entries lie in chunks; no range crosses a chunk boundary. Freed
// ranges rest for a while, because BPF may still be reading them.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace flarestack::record::agent {

struct SlabOptions {
  uint32_t entries = 0;
  uint32_t entries_per_chunk = 0;  // divides `entries`
  std::chrono::milliseconds rest{1000};
};

class Slab {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Slab(const SlabOptions& options);

  // Returns nullopt if no chunk has enough space. An empty range is at 0.
  std::optional<uint32_t> Take(uint32_t count, Time now);
  void Free(uint32_t begin, uint32_t count, Time now);

  uint32_t taken() const { return taken_; }  // including resting ranges

 private:
  struct Resting {
    Time until;
    uint32_t begin = 0;
    uint32_t count = 0;
  };

  void WakeRested(Time now);
  void AddFree(uint32_t begin, uint32_t count);

  const SlabOptions options_;
  std::map<uint32_t, uint32_t> free_;  // begin to count; adjacent ranges of a chunk are merged
  std::deque<Resting> resting_;
  uint32_t taken_ = 0;
};

}  // namespace flarestack::record::agent
