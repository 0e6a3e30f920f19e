// SPDX-License-Identifier: Apache-2.0
//
// Our walk against that of the compiler's run-time library, from the same place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sdk/unwind/modules.h"
#include "sdk/unwind/stack_walk_signal.h"

namespace flarestack::sdk {
namespace {

constexpr size_t kFramesMaxInTest = 512;

// Both walks, without the frames of the two functions that walk.
struct Walks {
  std::vector<uintptr_t> ours;
  std::vector<uintptr_t> reference;
  WalkEnd end = WalkEnd::kNoRule;
};
Walks* g_walks = nullptr;

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* frames) {
  static_cast<std::vector<uintptr_t>*>(frames)->push_back(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

__attribute__((noinline)) void WalkBoth(Walks* walks) {
  std::array<uintptr_t, kFramesMaxInTest> frames;
  const Walk walk = WalkStack(RegistersHere(), frames);
  _Unwind_Backtrace(AddFrame, &walks->reference);
  walks->ours.assign(frames.begin() + 1, frames.begin() + static_cast<ptrdiff_t>(walk.frame_count));
  walks->reference.erase(walks->reference.begin());
  // The reference ends with an address of 0 on some systems.
  std::erase(walks->reference, uintptr_t{0});
  walks->end = walk.end;
}

void Compare(const Walks& walks) {
  EXPECT_EQ(walks.end, WalkEnd::kComplete);
  EXPECT_GT(walks.ours.size(), 3);
  EXPECT_EQ(walks.ours, walks.reference);
}

class StackWalkTest : public ::testing::Test {
 protected:
  void SetUp() override { RefreshModules(); }
};

TEST_F(StackWalkTest, EqualsTheReference) {
  Walks walks;
  WalkBoth(&walks);
  Compare(walks);
}

__attribute__((noinline)) int Recurse(int depth, Walks* walks) {
  volatile char frame[100] = {};
  if (depth == 0)
    WalkBoth(walks);
  else
    frame[depth % 100] = static_cast<char>(Recurse(depth - 1, walks));
  return frame[1];
}

TEST_F(StackWalkTest, FollowsRecursion) {
  Walks walks;
  Recurse(200, &walks);
  Compare(walks);
}

int CompareInSort(const void* a, const void* b) {
  if (g_walks->ours.empty())
    WalkBoth(g_walks);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

TEST_F(StackWalkTest, GoesThroughAFunctionOfLibc) {
  Walks walks;
  g_walks = &walks;
  std::array<int, 5> numbers = {5, 1, 4, 2, 3};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), CompareInSort);
  Compare(walks);
}

TEST_F(StackWalkTest, EndsAtTheStartOfAThread) {
  Walks walks;
  std::thread([&] { WalkBoth(&walks); }).join();
  Compare(walks);
}

void WalkInHandler(int, siginfo_t*, void*) { WalkBoth(g_walks); }

TEST_F(StackWalkTest, GoesThroughASignalFrame) {
  Walks walks;
  g_walks = &walks;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = WalkInHandler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  Compare(walks);
}

TEST_F(StackWalkTest, ADamagedStackEndsTheWalk) {
  std::array<uintptr_t, kFramesMaxInTest> frames;
  Registers registers = RegistersHere();
  registers.sp = 0x1000;
  registers.fp = 0x1000;
  EXPECT_LE(WalkStack(registers, frames).frame_count, 2);
  registers.sp = ~uintptr_t{0} - 7;
  EXPECT_LE(WalkStack(registers, frames).frame_count, 2);
  registers.pc = 0x1234;
  EXPECT_LE(WalkStack(registers, frames).frame_count, 2);
}

TEST_F(StackWalkTest, StopsAtTheLimitOfFrames) {
  std::array<uintptr_t, 3> frames;
  const Walk walk = WalkStack(RegistersHere(), frames);
  EXPECT_EQ(walk.frame_count, 3);
  EXPECT_EQ(walk.end, WalkEnd::kTooDeep);
}

TEST(ModulesTest, TheProgramIsOneOfThem) {
  RefreshModules();
  EXPECT_FALSE(RefreshModules()) << "nothing was loaded since";
  const auto modules = CurrentModules();
  const auto here = reinterpret_cast<uintptr_t>(&WalkBoth);
  const auto own = std::ranges::find_if(
      modules, [&](const auto& module) { return here >= module->begin && here < module->end; });
  ASSERT_NE(own, modules.end());
  EXPECT_THAT((*own)->path, ::testing::HasSubstr("sdk_test"));
  EXPECT_GT((*own)->rows.size(), 1000);
}

}  // namespace
}  // namespace flarestack::sdk
