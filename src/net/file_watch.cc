// SPDX-License-Identifier: Apache-2.0
#include "net/file_watch.h"

#include <sys/stat.h>

#include <utility>

namespace flarestack::net {

FileWatch::FileWatch(std::vector<std::string> paths, std::chrono::milliseconds interval)
    : paths_(std::move(paths)),
      interval_(interval),
      seen_(ReadStamps()),
      checked_at_(Clock::now()) {}

std::vector<FileWatch::Stamp> FileWatch::ReadStamps() const {
  std::vector<Stamp> stamps;
  for (const std::string& path : paths_) {
    struct stat info = {};
    Stamp stamp;
    if (stat(path.c_str(), &info) == 0) {
      stamp = {info.st_ino, info.st_size,
               int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

bool FileWatch::HasChanged() {
  const Clock::time_point now = Clock::now();
  if (now - checked_at_ < interval_)
    return false;
  checked_at_ = now;
  std::vector<Stamp> stamps = ReadStamps();
  if (stamps == seen_)
    return false;
  seen_ = std::move(stamps);
  return true;
}

}  // namespace flarestack::net
