// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/frame_table.h"

#include <utility>

#include "base/check.h"

namespace flarestack::record::runtime {

uint64_t FrameTable::Intern(NamedFrame frame) {
  const auto [place, is_new] = by_frame_.try_emplace(std::move(frame));
  if (is_new) {
    place->second.word = (uint64_t{bpf::FRAME_NAMED} << FRAME_KIND_SHIFT) | next_++;
    by_word_.emplace(place->second.word, &place->first);
  }
  return place->second.word;
}

const NamedFrame& FrameTable::Get(uint64_t word) const {
  const auto found = by_word_.find(word);
  FLARE_CHECK(found != by_word_.end());
  return *found->second;
}

void FrameTable::Hold(uint64_t word) { ++by_frame_.find(Get(word))->second.holders; }

void FrameTable::Release(uint64_t word) {
  Entry& entry = by_frame_.find(Get(word))->second;
  FLARE_CHECK(entry.holders > 0);
  --entry.holders;
}

void FrameTable::Sweep() {
  absl::erase_if(by_frame_, [&](const auto& one) {
    if (one.second.holders > 0)
      return false;
    by_word_.erase(one.second.word);
    return true;
  });
}

}  // namespace flarestack::record::runtime
