// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/instruction.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "elf/testing/own_files.h"

namespace flarestack::record::unwind {
namespace {

using namespace std::string_literals;

TEST(X86InstructionTest, DecodesStackPointerChanges) {
  EXPECT_EQ(DecodeX86("\x55"s, 0).change, StackChange::kSaveFp);
  EXPECT_EQ(DecodeX86("\x41\x55"s, 0).change, StackChange::kAdd) << "push %r13";
  EXPECT_EQ(DecodeX86("\x5d"s, 0).change, StackChange::kRestoreFp);
  EXPECT_EQ(DecodeX86("\x48\x83\xec\x18"s, 0).value, -24);
  EXPECT_EQ(DecodeX86("\x48\x81\xc4\x00\x10\x00\x00"s, 0).value, 4096);
  EXPECT_EQ(DecodeX86("\x48\x8d\x64\x24\x20"s, 0).value, 32) << "lea 32(%rsp),%rsp";
  EXPECT_EQ(DecodeX86("\x48\x8d\x65\xd8"s, 0).change, StackChange::kSetSp) << "lea -40(%rbp),%rsp";
  EXPECT_EQ(DecodeX86("\x48\x83\xe4\xf0"s, 0).change, StackChange::kLoseSp) << "and $-16,%rsp";
  EXPECT_EQ(DecodeX86("\x48\x89\xe5"s, 0).change, StackChange::kSetFp);
  EXPECT_EQ(DecodeX86("\x48\x89\xe7"s, 0).change, StackChange::kNone) << "mov %rsp,%rdi";
  EXPECT_EQ(DecodeX86("\x49\x89\xe4"s, 0).change, StackChange::kNone) << "mov %rsp,%r12";
  EXPECT_EQ(DecodeX86("\x48\x39\xe0"s, 0).change, StackChange::kNone) << "cmp %rsp,%rax";
  EXPECT_EQ(DecodeX86("\x48\x89\xec"s, 0).change, StackChange::kSetSp);
  EXPECT_EQ(DecodeX86("\x48\x29\xc4"s, 0).change, StackChange::kLoseSp) << "sub %rax,%rsp";
  EXPECT_EQ(DecodeX86("\x31\xed"s, 0).change, StackChange::kClearFp);
  EXPECT_EQ(DecodeX86("\x48\x89\x6c\x24\xf0"s, 0).change, StackChange::kSaveFp);
}

TEST(X86InstructionTest, DecodesControlFlow) {
  EXPECT_EQ(DecodeX86("\xe8\x10\x00\x00\x00"s, 0x1000).target, 0x1015u);
  EXPECT_EQ(DecodeX86("\xeb\xfe"s, 0x1000).target, 0x1000u);
  EXPECT_EQ(DecodeX86("\x0f\x84\x00\x01\x00\x00"s, 0x1000).target, 0x1106u);
  EXPECT_EQ(DecodeX86("\x74\x02"s, 0).flow, Flow::kBranch);
  EXPECT_EQ(DecodeX86("\xf3\xc3"s, 0).flow, Flow::kReturn);
  EXPECT_EQ(DecodeX86("\x3e\xff\xe0"s, 0).flow, Flow::kIndirectJump);
  EXPECT_EQ(DecodeX86("\x41\xff\xd4"s, 0).flow, Flow::kCall);
  EXPECT_EQ(DecodeX86("\x0f\x0b"s, 0).flow, Flow::kTrap);
  EXPECT_TRUE(DecodeX86("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"s, 0).is_padding);
}

TEST(X86InstructionTest, TruncatedBytesAreNotAnInstruction) {
  const std::string move = "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"s;
  for (size_t length = 0; length < move.size(); ++length)
    EXPECT_EQ(DecodeX86(move.substr(0, length), 0).length, 0) << length;
  EXPECT_EQ(DecodeX86(move, 0).length, 10);
  EXPECT_EQ(DecodeX86(std::string(20, '\x66'), 0).length, 0);
}

// The C library has code for all kinds of CPUs.
TEST(X86InstructionTest, LengthsMatchADisassembler) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "no code of x86-64 to compare with";
#endif
  const std::string library = elf::testing::CLibraryPath();
  // Every 23rd instruction.
  const std::string text = elf::testing::OutputOf("objdump -d --insn-width=16 " + library +
                                                  " | grep -v bad | awk 'NR % 23 == 0'");
  std::istringstream lines(text);
  int count = 0;
  int wrong = 0;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find(":\t");
    const size_t end = line.find('\t', begin + 2);
    if (begin == std::string::npos || end == std::string::npos)
      continue;
    std::string bytes;
    std::istringstream words(line.substr(begin + 2, end - begin - 2));
    for (std::string word; words >> word;)
      bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
    // objdump shows isolated prefixes as instructions.
    const auto last = static_cast<unsigned char>(bytes.back());
    if (bytes.size() == 1 && (last >> 4 == 4 || last == 0x66 || last >= 0xf0))
      continue;
    ++count;
    const size_t length = DecodeX86(bytes + std::string(16, '\x90'), 0).length;
    if (length != bytes.size() && ++wrong < 20)
      ADD_FAILURE() << line << ": " << length;
  }
  if (count == 0)
    GTEST_SKIP() << "no objdump here";
  std::printf("  %d instructions\n", count);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace flarestack::record::unwind
