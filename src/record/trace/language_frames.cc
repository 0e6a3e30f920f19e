// SPDX-License-Identifier: Apache-2.0
#include "record/trace/language_frames.h"

#include <algorithm>

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kOmitted = uint64_t{bpf::FRAME_OMITTED} << FRAME_KIND_SHIFT;

constexpr uint64_t kRest = uint64_t{bpf::FRAME_REST} << FRAME_KIND_SHIFT;

bool IsCalledFromC(uint64_t word) {
  return word >> FRAME_KIND_SHIFT == bpf::FRAME_PYTHON && (word & FRAME_CALLED_FROM_C) != 0;
}

}  // namespace

LanguageFrames::LanguageFrames(std::vector<uint64_t>* frames) {
  const auto rest = std::find(frames->begin(), frames->end(), kRest);
  if (rest == frames->end())
    return;
  words_.assign(rest + 1, frames->end());
  frames->erase(rest, frames->end());
}

void LanguageFrames::MoveLoop(std::vector<uint64_t>* frames) {
  while (next_ < words_.size()) {
    const bool is_last = IsCalledFromC(words_[next_]);
    // A frame and its operand.
    do {
      frames->push_back(words_[next_++]);
    } while (next_ < words_.size() && words_[next_] >> FRAME_KIND_SHIFT == bpf::FRAME_OPERAND);
    if (is_last)
      return;
  }
}

void LanguageFrames::MoveRest(std::vector<uint64_t>* frames) {
  if (next_ == words_.size())
    return;
  frames->push_back(kRest);
  frames->insert(frames->end(), words_.begin() + static_cast<ptrdiff_t>(next_), words_.end());
  next_ = words_.size();
}

void RestoreFrameOrder(uint32_t omitted_count, std::vector<uint64_t>* frames) {
  if (omitted_count == 0 || frames->size() != bpf::USER_FRAMES_MAX)
    return;
  const auto outer = frames->begin() + bpf::USER_FRAMES_INNER;
  std::rotate(outer, outer + omitted_count % bpf::USER_FRAMES_OUTER, frames->end());
  frames->insert(frames->begin() + bpf::USER_FRAMES_INNER, kOmitted);
}

void CutFrames(bpf::unwind_end end, std::vector<uint64_t>* frames) {
  const bool has_gap =
      frames->size() > bpf::USER_FRAMES_INNER && (*frames)[bpf::USER_FRAMES_INNER] == kOmitted;
  if (frames->size() <= bpf::USER_FRAMES_MAX + (has_gap ? 1 : 0) && end != bpf::UNWIND_TOO_DEEP)
    return;
  if (frames->size() <= bpf::USER_FRAMES_INNER)
    return;
  const auto inner_end = frames->begin() + bpf::USER_FRAMES_INNER;
  if (end == bpf::UNWIND_TOO_DEEP) {
    frames->erase(inner_end, frames->end());
    return;
  }
  frames->erase(inner_end + 1, frames->end() - bpf::USER_FRAMES_OUTER);
  *inner_end = kOmitted;
}

}  // namespace flarestack::record::agent
