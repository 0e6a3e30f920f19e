// SPDX-License-Identifier: Apache-2.0
#include "symbol/name_cache.h"

#include "symbol/demangle/demangle.h"

namespace flarestack::symbol {
namespace {

constexpr uint64_t kEntryBytes = 2 * sizeof(std::string_view) + 32;

}  // namespace

std::string NameCache::Readable(std::string_view raw_name) {
  {
    const base::MutexLock lock(mutex_);
    const auto known = names_.find(raw_name);
    if (known != names_.end())
      return std::string(known->second);
  }
  std::string name = Demangle(raw_name);
  const uint64_t bytes = raw_name.size() + name.size() + kEntryBytes;
  const base::MutexLock lock(mutex_);
  // All at once: tracking the last use of each costs more than looking a few up again.
  if (bytes_ + bytes > bytes_max_) {
    names_.clear();
    texts_ = {};
    bytes_ = 0;
  }
  if (bytes <= bytes_max_ && !names_.contains(raw_name)) {
    names_.emplace(texts_.Copy(raw_name), texts_.Copy(name));
    bytes_ += bytes;
  }
  return name;
}

uint64_t NameCache::bytes() const {
  const base::MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace flarestack::symbol
