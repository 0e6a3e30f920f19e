// SPDX-License-Identifier: Apache-2.0
#include "record/trace/trace_frames.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kOmitted = uint64_t{bpf::FRAME_OMITTED} << FRAME_KIND_SHIFT;

// first, first + 1, ...
std::vector<uint64_t> Frames(size_t count, uint64_t first = 1) {
  std::vector<uint64_t> frames(count);
  std::iota(frames.begin(), frames.end(), first);
  return frames;
}

// Frames in the order BPF writes them.
std::vector<uint64_t> Written(uint32_t depth) {
  std::vector<uint64_t> frames;
  for (uint32_t walked = 0; walked < depth; ++walked) {
    if (walked < bpf::USER_FRAMES_MAX)
      frames.push_back(walked + 1);
    else
      frames[bpf::USER_FRAMES_INNER + (walked - bpf::USER_FRAMES_INNER) % bpf::USER_FRAMES_OUTER] =
          walked + 1;
  }
  return frames;
}

std::vector<uint64_t> BothEnds(uint64_t depth) {
  std::vector<uint64_t> frames = Frames(bpf::USER_FRAMES_INNER);
  frames.push_back(kOmitted);
  const std::vector<uint64_t> outer =
      Frames(bpf::USER_FRAMES_OUTER, depth - bpf::USER_FRAMES_OUTER + 1);
  frames.insert(frames.end(), outer.begin(), outer.end());
  return frames;
}

TEST(TraceFramesTest, DeepStackHasBothEndsInOrder) {
  for (const uint32_t depth : {513u, 600u, 639u, 640u, 641u, 1000u, 4096u}) {
    std::vector<uint64_t> frames = Written(depth);
    RestoreFrameOrder(depth - bpf::USER_FRAMES_MAX, &frames);
    EXPECT_EQ(frames, BothEnds(depth)) << depth;
    CutFrames(bpf::UNWIND_COMPLETE, &frames);
    EXPECT_EQ(frames, BothEnds(depth)) << depth;
  }
}

TEST(TraceFramesTest, StackThatFitsStaysUnchanged) {
  std::vector<uint64_t> frames = Frames(bpf::USER_FRAMES_MAX);
  RestoreFrameOrder(0, &frames);
  CutFrames(bpf::UNWIND_COMPLETE, &frames);
  EXPECT_EQ(frames, Frames(bpf::USER_FRAMES_MAX));
  frames = Frames(3);
  RestoreFrameOrder(7, &frames);  // a malformed message
  CutFrames(bpf::UNWIND_TOO_DEEP, &frames);
  EXPECT_EQ(frames, Frames(3));
}

TEST(TraceFramesTest, IncompleteWalkHasNoOutermostFrames) {
  std::vector<uint64_t> frames = Written(bpf::USER_FRAMES_WALKED_MAX);
  RestoreFrameOrder(bpf::USER_FRAMES_WALKED_MAX - bpf::USER_FRAMES_MAX, &frames);
  CutFrames(bpf::UNWIND_TOO_DEEP, &frames);
  EXPECT_EQ(frames, Frames(bpf::USER_FRAMES_INNER));
}

// User space continued unwinding where BPF had no tables.
TEST(TraceFramesTest, FramesUnwoundLaterMoveTheGap) {
  std::vector<uint64_t> frames = Written(600);
  RestoreFrameOrder(600 - bpf::USER_FRAMES_MAX, &frames);
  for (const uint64_t frame : Frames(300, 601))
    frames.push_back(frame);
  CutFrames(bpf::UNWIND_COMPLETE, &frames);
  EXPECT_EQ(frames, BothEnds(900));
  frames = Frames(800);
  CutFrames(bpf::UNWIND_NO_RULE, &frames);
  EXPECT_EQ(frames, BothEnds(800));
}

}  // namespace
}  // namespace flarestack::record::agent
