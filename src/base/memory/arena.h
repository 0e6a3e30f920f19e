// SPDX-License-Identifier: Apache-2.0
//
// Owns bytes at stable addresses. A view returned by the arena is valid until the arena is
// destroyed; moving the arena does not invalidate it. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::base {

class Arena {
 public:
  // Returns a copy of `text` that the arena owns.
  std::string_view Copy(std::string_view text);

  // Takes ownership of a buffer without copying it.
  std::string_view Adopt(std::string buffer);

  // Keeps `other`, the memory behind other views, alive as long as the arena.
  void Keep(std::shared_ptr<const void> other) { kept_.push_back(std::move(other)); }

  size_t allocated_bytes() const { return allocated_bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::unique_ptr<std::string>> adopted_;
  std::vector<std::shared_ptr<const void>> kept_;
  char* next_ = nullptr;
  size_t left_bytes_ = 0;
  size_t allocated_bytes_ = 0;
};

}  // namespace flarestack::base
