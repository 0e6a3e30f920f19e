// SPDX-License-Identifier: Apache-2.0
//
// Steps in stacks that a Java program seldom has.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "record/runtime/java/java_walk.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::runtime {
namespace {

// Words by address. All others are unreadable.
class WordMemory final : public unwind::Memory {
 public:
  explicit WordMemory(std::map<uint64_t, uint64_t> words) : words_(std::move(words)) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    for (size_t i = 0; i < target.size(); ++i) {
      const auto found = words_.find((address + i) & ~uint64_t{7});
      if (found == words_.end())
        return false;
      target[i] = std::byte{static_cast<uint8_t>(found->second >> ((address + i) % 8 * 8))};
    }
    return true;
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

 private:
  std::map<uint64_t, uint64_t> words_;
};

// The stub saves a control register of 32 bits in its lowest word. The upper half keeps what was
// there before, such as half of an address.
TEST(JavaStepTest, LowestWordOfTheCallStubIsNoReturnAddress) {
  constexpr uint64_t kHeap = 0x7f6200000000;
  constexpr uint64_t kSegmentMap = 0x10000;
  constexpr uint64_t kStack = 0x7ffc00001000;
  constexpr uint64_t kStubFrameBytes = 96;
  constexpr uint64_t kNativeReturn = 0x7f6300829764;
  bpf::java_process process = {};
  process.heaps[0] = {.begin = kHeap, .end = kHeap + (16 << 20), .segment_map = kSegmentMap};
  process.segment_shift = 7;
  process.block_header_bytes = 16;
  process.block_used = 8;
  process.blob_name = 16;
  process.blob_header_size = 32;
  process.blob_frame_complete = 40;
  process.blob_frame_size = 48;
  process.blob_code = 56;
  process.nmethod_bytes = 320;
  process.call_return = kHeap + 0x40;

  std::map<uint64_t, uint64_t> words;
  words[kSegmentMap] = 0;
  for (uint64_t i = 0; i < bpf::JAVA_BLOB_WORDS; ++i)
    words[kHeap + 8 * i] = 0;
  words[kHeap + process.block_used] = 1;
  words[kStack] = kHeap + 0x1f9f;
  words[kStack + 8] = 0;
  words[kStack + kStubFrameBytes] = kStack + 512;  // the frame pointer of the caller
  words[kStack + kStubFrameBytes + 8] = kNativeReturn;
  WordMemory memory(words);

  bpf::unwind_registers registers = {};
  registers.pc = process.call_return;
  registers.is_return_address = 1;
  registers.regs[bpf::REG_SP] = kStack;
  registers.regs[bpf::REG_FP] = kStack + kStubFrameBytes;
  JavaWords frame = {};
  EXPECT_EQ(StepJava(process, memory, &registers, &frame), bpf::UNWIND_MORE);
  EXPECT_EQ(registers.pc, kNativeReturn);
  EXPECT_EQ(registers.regs[bpf::REG_SP], kStack + kStubFrameBytes + 16);
  EXPECT_EQ(registers.regs[bpf::REG_FP], kStack + 512);
}

}  // namespace
}  // namespace flarestack::record::runtime
