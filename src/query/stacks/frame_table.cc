// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/frame_table.h"

#include "base/hash.h"

namespace flarestack::query {

TextId FrameTable::AddText(std::string_view text) {
  if (text.empty())
    return {};
  const auto next = static_cast<uint32_t>(texts_.size());
  const uint32_t id = text_ids_.FindOrAdd(base::Hash64(text), next,
                                          [&](uint32_t at) { return texts_[at] == text; });
  if (id == next)
    texts_.push_back(arena_.Copy(text));
  return {id};
}

FrameId FrameTable::AddFrame(const Frame& frame) {
  const uint64_t names = uint64_t{frame.function.value} << 32 | frame.file.value;
  const uint64_t place =
      uint64_t{frame.module.value} << 32 | (frame.is_internal ? 2 : 0) | (frame.is_inlined ? 1 : 0);
  const uint64_t hash = base::Mix64(base::Mix64(names, place), static_cast<uint64_t>(frame.line));
  const auto next = static_cast<uint32_t>(frames_.size());
  const uint32_t id =
      frame_ids_.FindOrAdd(hash, next, [&](uint32_t at) { return frames_[at] == frame; });
  if (id == next) {
    frames_.push_back(frame);
    has_internal_frames_ = has_internal_frames_ || frame.is_internal;
  }
  return {id};
}

}  // namespace flarestack::query
