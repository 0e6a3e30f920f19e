// SPDX-License-Identifier: Apache-2.0
#include "record/trace/trace_frames.h"

#include <algorithm>

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kOmitted = uint64_t{bpf::FRAME_OMITTED} << FRAME_KIND_SHIFT;

}  // namespace

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
