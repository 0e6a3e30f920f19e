// SPDX-License-Identifier: Apache-2.0
#include "base/memory/arena.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace flarestack::base {
namespace {

constexpr size_t kBlockBytesMin = 4 << 10;
constexpr size_t kBlockBytesMax = 1 << 20;

}  // namespace

std::string_view Arena::Copy(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  if (text.size() > left_bytes_) {
    // Each block is as large as everything allocated so far, within bounds: a small message wastes
    // little, and a large one needs few blocks.
    const size_t block_bytes =
        std::max(text.size(), std::clamp(allocated_bytes_, kBlockBytesMin, kBlockBytesMax));
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
    next_ = blocks_.back().get();
    left_bytes_ = block_bytes;
    allocated_bytes_ += block_bytes;
  }
  char* const copy = next_;
  std::memcpy(copy, text.data(), text.size());
  next_ += text.size();
  left_bytes_ -= text.size();
  return {copy, text.size()};
}

std::string_view Arena::Adopt(std::string buffer) {
  adopted_.push_back(std::make_unique<std::string>(std::move(buffer)));
  allocated_bytes_ += adopted_.back()->capacity();
  return *adopted_.back();
}

}  // namespace flarestack::base
