// SPDX-License-Identifier: Apache-2.0
#include "record/trace/stack_pool.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "record/testing/memory_tables.h"

namespace flarestack::record::agent {
namespace {

const CodeFiles::Time kNow{};

class StackPoolTest : public ::testing::Test {
 protected:
  uint32_t AddOwnProgram() {
    const auto slot = files_.Add(base::Descriptor(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)),
                                 "/bin/own", kNow);
    EXPECT_TRUE(slot.ok()) << slot.status();
    return slot.value_or(0);
  }

  testing::MemoryTables tables_;
  CodeFiles files_{tables_.tables()};
  runtime::FrameTable frames_;
  StackPool stacks_{{.files = &files_, .frames = &frames_}};
};

TEST_F(StackPoolTest, InternsEqualStacksOnce) {
  const StackPointer one = stacks_.Intern({1}, {2, 3}, bpf::UNWIND_COMPLETE);
  EXPECT_EQ(stacks_.Intern({1}, {2, 3}, bpf::UNWIND_COMPLETE), one);
  EXPECT_NE(stacks_.Intern({1}, {3, 2}, bpf::UNWIND_COMPLETE), one);
  EXPECT_NE(stacks_.Intern({1, 2}, {3}, bpf::UNWIND_COMPLETE), one);
  EXPECT_NE(stacks_.Intern({1}, {2, 3}, bpf::UNWIND_NO_RULE), one);
  EXPECT_EQ(one->kernel(), std::vector<uint64_t>{1});
  EXPECT_EQ(one->user(), (std::vector<uint64_t>{2, 3}));
}

TEST_F(StackPoolTest, SweepRemovesUnusedStacks) {
  const StackPointer kept = stacks_.Intern({1}, {}, bpf::UNWIND_COMPLETE);
  stacks_.Intern({2}, {}, bpf::UNWIND_COMPLETE);
  EXPECT_EQ(stacks_.size(), 2u);
  stacks_.Sweep();
  EXPECT_EQ(stacks_.size(), 1u);
  EXPECT_EQ(stacks_.Intern({1}, {}, bpf::UNWIND_COMPLETE), kept);
}

TEST_F(StackPoolTest, StackKeepsItsFiles) {
  const uint32_t slot = AddOwnProgram();
  const uint64_t word = uint64_t{slot} << FRAME_FILE_SHIFT | 0x1000;
  StackPointer stack = stacks_.Intern({}, {word, word + 1, word}, bpf::UNWIND_COMPLETE);
  files_.Release(slot, kNow);
  EXPECT_TRUE(files_.Has(slot));
  EXPECT_EQ(files_.file(slot).path, "/bin/own");
  stack.reset();
  EXPECT_TRUE(files_.Has(slot)) << "the pool has it";
  stacks_.Sweep();
  EXPECT_FALSE(files_.Has(slot));
}

TEST_F(StackPoolTest, FramesOfAMissingFileAreHarmless) {
  const uint64_t word = uint64_t{77} << FRAME_FILE_SHIFT | 0x1000;
  stacks_.Intern({}, {word, FRAME_FILE_MASK << FRAME_FILE_SHIFT}, bpf::UNWIND_COMPLETE);
  stacks_.Sweep();
  EXPECT_EQ(stacks_.size(), 0u);
}

// Memory of the process does not belong to a file, regardless of its address.
TEST_F(StackPoolTest, FramesWithoutAFileKeepNone) {
  const uint32_t slot = AddOwnProgram();
  const StackPointer stack = stacks_.Intern(
      {},
      {uint64_t{bpf::FRAME_IN_PROCESS} << FRAME_KIND_SHIFT | uint64_t{slot} << FRAME_FILE_SHIFT},
      bpf::UNWIND_COMPLETE);
  files_.Release(slot, kNow);
  EXPECT_FALSE(files_.Has(slot));
}

}  // namespace
}  // namespace flarestack::record::agent
