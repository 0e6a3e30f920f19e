// SPDX-License-Identifier: Apache-2.0
//
// Detects changed files by polling them on demand. It needs no thread: an idle server does not need
// to know.
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

  // True if a file has changed since the last check. Checks at most once per interval.
  bool HasChanged();

 private:
  struct Stamp {
    uint64_t inode = 0;
    int64_t size_bytes = -1;  // -1: does not exist
    int64_t mtime_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::vector<Stamp> ReadStamps() const;

  const std::vector<std::string> paths_;
  const std::chrono::milliseconds interval_;
  std::vector<Stamp> seen_;
  Clock::time_point checked_at_;
};

}  // namespace flarestack::net
