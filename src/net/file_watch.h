// SPDX-License-Identifier: Apache-2.0
//
// Tells whether files have changed, by looking at them now and then when somebody asks. No thread:
// a server that nobody talks to has no need to know.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace flarestack::net {

class FileWatch {
 public:
  using Clock = std::chrono::steady_clock;

  FileWatch(std::vector<std::string> paths, std::chrono::milliseconds interval);

  // True when a file is another one than at the last call that looked. Looks at most once per
  // interval.
  bool HasChanged();

 private:
  struct Stamp {
    uint64_t inode = 0;
    int64_t size_bytes = -1;  // -1: not there
    int64_t mtime_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::vector<Stamp> ReadStamps() const;

  const std::vector<std::string> paths_;
  const std::chrono::milliseconds interval_;
  std::vector<Stamp> seen_;
  Clock::time_point looked_at_;
};

}  // namespace flarestack::net
