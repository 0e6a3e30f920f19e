// SPDX-License-Identifier: Apache-2.0
#include "record/trace/language_frames.h"

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
  constexpr uint32_t kMax = bpf::USER_FRAMES_MAX;
  constexpr uint32_t kOuter = bpf::USER_FRAMES_OUTER;
  for (const uint32_t depth :
       {kMax + 1, kMax + 88, kMax + kOuter - 1, kMax + kOuter, kMax + kOuter + 1, kMax + 500,
        uint32_t{bpf::USER_FRAMES_WALKED_MAX}}) {
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
  constexpr uint32_t kMax = bpf::USER_FRAMES_MAX;
  std::vector<uint64_t> frames = Written(kMax + 88);
  RestoreFrameOrder(88, &frames);
  for (const uint64_t frame : Frames(300, kMax + 89))
    frames.push_back(frame);
  CutFrames(bpf::UNWIND_COMPLETE, &frames);
  EXPECT_EQ(frames, BothEnds(kMax + 388));
  frames = Frames(kMax + 288);
  CutFrames(bpf::UNWIND_NO_RULE, &frames);
  EXPECT_EQ(frames, BothEnds(kMax + 288));
}

constexpr uint64_t kRest = uint64_t{bpf::FRAME_REST} << FRAME_KIND_SHIFT;
constexpr uint64_t kPython = uint64_t{bpf::FRAME_PYTHON} << FRAME_KIND_SHIFT;
constexpr uint64_t kEntry = kPython | FRAME_CALLED_FROM_C;
constexpr uint64_t kOperand = uint64_t{bpf::FRAME_OPERAND} << FRAME_KIND_SHIFT;

TEST(LanguageFramesTest, GoBehindTheLoopsThatRunThem) {
  std::vector<uint64_t> frames = {1,          2,        kRest,      kPython | 7, kOperand | 1,
                                  kEntry | 8, kOperand, kEntry | 9, kOperand | 3};
  LanguageFrames language(&frames);
  EXPECT_EQ(frames, (std::vector<uint64_t>{1, 2}));
  frames.push_back(3);
  language.MoveLoop(&frames);
  frames.push_back(4);
  language.MoveLoop(&frames);
  language.MoveRest(&frames);
  EXPECT_EQ(frames, (std::vector<uint64_t>{1, 2, 3, kPython | 7, kOperand | 1, kEntry | 8, kOperand,
                                           4, kEntry | 9, kOperand | 3}));
}

TEST(LanguageFramesTest, StayBehindTheGapWithoutTheirLoops) {
  std::vector<uint64_t> frames = {1, kRest, kEntry | 8, kOperand, kEntry | 9, kOperand};
  LanguageFrames language(&frames);
  language.MoveLoop(&frames);
  language.MoveRest(&frames);
  EXPECT_EQ(frames, (std::vector<uint64_t>{1, kEntry | 8, kOperand, kRest, kEntry | 9, kOperand}));
  std::vector<uint64_t> without = {1, 2};
  LanguageFrames none(&without);
  none.MoveLoop(&without);
  none.MoveRest(&without);
  EXPECT_EQ(without, (std::vector<uint64_t>{1, 2}));
}

}  // namespace
}  // namespace flarestack::record::agent
