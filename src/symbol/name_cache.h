// SPDX-License-Identifier: Apache-2.0
//
// Caches demangled names, because the same functions are shown repeatedly. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/memory/arena.h"
#include "base/mutex.h"

namespace flarestack::symbol {

class NameCache {
 public:
  explicit NameCache(uint64_t bytes_max = 32 << 20) : bytes_max_(bytes_max) {}

  // Returns the result of Demangle().
  std::string Readable(std::string_view raw_name);

  uint64_t bytes() const;

 private:
  const uint64_t bytes_max_;
  mutable base::Mutex mutex_;
  base::Arena texts_ FLARE_GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, std::string_view> names_ FLARE_GUARDED_BY(mutex_);
  uint64_t bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::symbol
