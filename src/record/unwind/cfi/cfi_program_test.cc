// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/cfi/cfi_program.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "record/unwind/testing/rows_text.h"

namespace flarestack::record::unwind {
namespace {

using namespace std::string_literals;  // for instructions that contain zeros

// The initial rules that compilers emit for all functions: the CFA is 8 above the stack pointer,
// with the return address just below the CFA.
const std::string kX86Initial = "\x0c\x07\x08\x90\x01"s;
const std::string kArm64Initial = "\x0c\x1f\x00"s;

struct Case {
  Machine machine = Machine::kX86_64;
  std::string initial = kX86Initial;
  bool is_signal_frame = false;
  uint64_t steps = 1000;
  uint64_t code_alignment = 1;
  uint8_t pointer_encoding = 0;
  CodeSpan span = {.begin = 0x1000, .end = 0x1100};
};

class CfiProgramTest : public ::testing::Test {
 protected:
  // A function of 0x100 bytes at 0x1000, in a table at 0x5000.
  std::string Run(const std::string& instructions, const Case& with = {}) {
    const bool is_x86 = with.machine == Machine::kX86_64;
    elf::Cie cie;
    cie.version = 1;
    cie.code_alignment = with.code_alignment;
    cie.data_alignment = -8;
    cie.return_register = is_x86 ? 16 : 30;
    cie.pointer_encoding = with.pointer_encoding;
    cie.is_signal_frame = with.is_signal_frame;
    cie.instructions = with.initial;
    elf::Fde fde;
    fde.cie = &cie;
    fde.begin = 0x1000;
    fde.end = 0x1100;
    fde.instructions = instructions;
    fde.instructions_offset = 0x20;
    budget_ = {.steps = with.steps, .counts = {}};
    RowBuilder builder(with.span);
    CfiProgram(with.machine, 0x5000, &budget_).Run(fde, &builder);
    return testing::ToText(std::move(builder).Finish());
  }

  std::string RunArm64(const std::string& instructions) {
    return Run(instructions, {.machine = Machine::kArm64, .initial = kArm64Initial});
  }

  CfiBudget budget_;
};

TEST_F(CfiProgramTest, FollowsATypicalFunction) {
  EXPECT_EQ(Run("\x41"              // advance 1
                "\x0e\x10\x86\x02"  // def_cfa_offset 16, rbp at CFA - 16
                "\x43"
                "\x0d\x06"  // def_cfa_register rbp
                "\x02\x80"  // advance1 128
                "\x0c\x07\x08\xc6"s),
            "0x1000 cfa=r7+8 ra=-8\n"
            "0x1001 cfa=r7+16 ra=-8 fp=-16\n"
            "0x1004 cfa=r6+16 ra=-8 fp=-16\n"
            "0x1084 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(RunArm64("\x44"
                     "\x0e\x20\x9d\x04\x9e\x03"  // def_cfa_offset 32, x29 at -32, x30 at -24
                     "\x48"
                     "\xde\xdd\x0e\x00"s),
            "0x1000 cfa=r31+0 ra=r30\n"
            "0x1004 cfa=r31+32 ra=-24 fp=-32\n"
            "0x100c cfa=r31+0 ra=r30\n");
}

TEST_F(CfiProgramTest, AdvancesInEveryForm) {
  EXPECT_EQ(Run("\x42\x0e\x10"
                "\x02\x03\x0e\x18"
                "\x03\x04\x00\x0e\x20"
                "\x04\x05\x00\x00\x00\x0e\x28"s),
            "0x1000 cfa=r7+8 ra=-8\n"
            "0x1002 cfa=r7+16 ra=-8\n"
            "0x1005 cfa=r7+24 ra=-8\n"
            "0x1009 cfa=r7+32 ra=-8\n"
            "0x100e cfa=r7+40 ra=-8\n");
  EXPECT_EQ(Run("\x42\x0e\x10"s, {.code_alignment = 4}),
            "0x1000 cfa=r7+8 ra=-8\n0x1008 cfa=r7+16 ra=-8\n");
  EXPECT_EQ(Run("\x40\x0e\x10"s), "0x1000 cfa=r7+16 ra=-8\n") << "by nothing";
}

TEST_F(CfiProgramTest, SetsLocationsAsTheTableEncodesThem) {
  EXPECT_EQ(Run("\x01\x20\x10\x00\x00\x00\x00\x00\x00\x0e\x10"s),
            "0x1000 cfa=r7+8 ra=-8\n0x1020 cfa=r7+16 ra=-8\n");
  // Relative to the pointer itself: 0x5000 + 0x20 + 1, four bytes.
  EXPECT_EQ(Run("\x01\x0f\xc0\xff\xff\x0e\x10"s, {.pointer_encoding = 0x1b}),
            "0x1000 cfa=r7+8 ra=-8\n0x1030 cfa=r7+16 ra=-8\n");
  EXPECT_EQ(Run("\x01\x00\x0f\x00\x00\x00\x00\x00\x00\x0e\x10"s), "0x1000 none\n") << "backwards";
  EXPECT_EQ(budget_.counts.damaged_count, 1u);
}

TEST_F(CfiProgramTest, DefinesTheCfaInEveryForm) {
  EXPECT_EQ(Run("\x0c\x06\x10"s), "0x1000 cfa=r6+16 ra=-8\n");
  EXPECT_EQ(Run("\x0d\x06"s), "0x1000 cfa=r6+8 ra=-8\n");
  EXPECT_EQ(Run("\x0e\x80\x01"s), "0x1000 cfa=r7+128 ra=-8\n");
  EXPECT_EQ(Run("\x12\x0a\x7e"s), "0x1000 cfa=r10+16 ra=-8\n") << "-2 * -8";
  EXPECT_EQ(Run("\x13\x7d"s), "0x1000 cfa=r7+24 ra=-8\n");
  EXPECT_EQ(Run("\x0f\x02\x76\x08"s), "0x1000 cfa=r6+8 ra=-8\n") << "breg6 8";
  EXPECT_EQ(Run("\x0f\x03\x92\x0a\x10"s), "0x1000 cfa=r10+16 ra=-8\n") << "bregx 10 16";
}

TEST_F(CfiProgramTest, LoadsTheCfaOfRealignedStacks) {
  EXPECT_EQ(Run("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00"s), "0x1000 cfa=[r6-8]+0 ra=-8 fp=fp+0\n")
      << "breg6 -8, deref; rbp at breg6 0";
  EXPECT_EQ(Run("\x10\x06\x02\x76\x00\x0c\x07\x08"s), "0x1000 cfa=r7+8 ra=-8\n")
      << "it has been restored";
  EXPECT_EQ(Run("\x0f\x05\x77\xa0\x01\x06\x23\x10"s), "0x1000 none\n") << "truncated";
  EXPECT_EQ(budget_.counts.damaged_count, 1u);
  EXPECT_EQ(Run("\x0f\x06\x77\xa0\x01\x06\x23\x10"s), "0x1000 cfa=[r7+160]+16 ra=-8\n");
  EXPECT_EQ(Run("\x0f\x05\x77\x08\x06\x23\x04"s), "0x1000 none\n") << "plus 4 fits in no rule";
  EXPECT_EQ(budget_.counts.unsupported_count, 1u);
  EXPECT_EQ(Run("\x0f\x06\x77\x08\x06\x23\x80\x10"s), "0x1000 none\n") << "plus 2048 neither";
}

TEST_F(CfiProgramTest, ReadsPltExpressions) {
  const auto plt = [](char literal) {
    return "\x0f\x0b\x77\x08\x80\x00\x3f\x1a"s + literal + "\x2a\x33\x24\x22";
  };
  EXPECT_EQ(Run(plt('\x3b')), "0x1000 plt11 ra=-8\n");
  EXPECT_EQ(Run(plt('\x3a')), "0x1000 plt10 ra=-8\n");
  EXPECT_EQ(Run(plt('\x40')), "0x1000 none\n");
  EXPECT_EQ(budget_.counts.unsupported_count, 1u);
}

TEST_F(CfiProgramTest, UnsupportedExpressionAffectsOnlyItsAddresses) {
  EXPECT_EQ(Run("\x41\x0f\x02\x35\x36"  // lit5 lit6
                "\x44\x0c\x07\x10"s),
            "0x1000 cfa=r7+8 ra=-8\n0x1001 none\n0x1005 cfa=r7+16 ra=-8\n");
  EXPECT_EQ(budget_.counts, (UnwindCounts{.unsupported_count = 1}));
  // An offset alone has no meaning if the CFA is an expression.
  EXPECT_EQ(Run("\x0f\x02\x35\x36\x0e\x10"s), "0x1000 none\n");
}

TEST_F(CfiProgramTest, FindsRegistersInEveryForm) {
  EXPECT_EQ(Run("\x86\x02"s), "0x1000 cfa=r7+8 ra=-8 fp=-16\n");
  EXPECT_EQ(Run("\x05\x06\x03"s), "0x1000 cfa=r7+8 ra=-8 fp=-24\n");
  EXPECT_EQ(Run("\x11\x06\x7f"s), "0x1000 cfa=r7+8 ra=-8 fp=+8\n");
  EXPECT_EQ(Run("\x2f\x06\x02"s), "0x1000 cfa=r7+8 ra=-8 fp=+16\n");
  EXPECT_EQ(Run("\x86\x02\xc6"s), "0x1000 cfa=r7+8 ra=-8\n") << "restore";
  EXPECT_EQ(Run("\x86\x02\x06\x06"s), "0x1000 cfa=r7+8 ra=-8\n") << "restore_extended";
  EXPECT_EQ(Run("\x86\x02\x08\x06"s), "0x1000 cfa=r7+8 ra=-8\n") << "same_value";
  EXPECT_EQ(Run("\x86\x02\x07\x06"s), "0x1000 cfa=r7+8 ra=-8\n") << "undefined";
  EXPECT_EQ(Run("\x86\x02\x09\x06\x03"s), "0x1000 cfa=r7+8 ra=-8\n") << "in rbx, not followed";
  EXPECT_EQ(Run("\x86\x02\x10\x06\x02\x77\x08"s), "0x1000 cfa=r7+8 ra=-8\n") << "breg7 8";
  EXPECT_EQ(Run("\x86\x02\x16\x06\x01\x50"s), "0x1000 cfa=r7+8 ra=-8\n") << "val_expression";
  EXPECT_EQ(Run("\x86\x02\x14\x06\x01"s), "0x1000 cfa=r7+8 ra=-8\n") << "val_offset";
  EXPECT_EQ(Run("\x0e\x10\x90\x02"s), "0x1000 cfa=r7+16 ra=-16\n");
  EXPECT_EQ(Run("\x90\x02\xd0"s), "0x1000 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(Run("\x83\x02\x05\x80\x01\x02\xc3"s), "0x1000 cfa=r7+8 ra=-8\n") << "others";
}

TEST_F(CfiProgramTest, OutermostFrameHasNoReturnAddress) {
  EXPECT_EQ(Run("\x07\x10"s), "0x1000 stop\n");
  EXPECT_EQ(RunArm64("\x07\x1e"s), "0x1000 stop\n");
  EXPECT_EQ(Run("\x0e\x00"s), "0x1000 stop\n") << "it was taken off the stack";
}

TEST_F(CfiProgramTest, ReturnAddressMayBeInARegister) {
  EXPECT_EQ(Run("\x09\x10\x02"s), "0x1000 cfa=r7+8 ra=r2\n");
  EXPECT_EQ(RunArm64("\x9e\x01\x08\x1e"s), "0x1000 cfa=r31+0 ra=r30\n");
  EXPECT_EQ(RunArm64("\x09\x1e\x09"s), "0x1000 cfa=r31+0 ra=r9\n");
  EXPECT_EQ(Run("\x09\x10\x80\x02"s), "0x1000 none\n") << "there is no such register";
  EXPECT_EQ(Run("\x08\x10"s), "0x1000 none\n") << "x86-64 has none that keeps it";
  EXPECT_EQ(Run("\x09\x10\x02\x0f\x03\x76\x78\x06"s), "0x1000 none\n") << "a rule has one number";
  EXPECT_EQ(Run("\x10\x10\x02\x76\x08"s), "0x1000 none\n") << "by an expression";
}

TEST_F(CfiProgramTest, HasNoRuleUnlessTheCfaIsTheCallerStackPointer) {
  EXPECT_EQ(Run("\x14\x07\x00"s), "0x1000 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(Run("\x14\x07\x01"s), "0x1000 none\n");
  EXPECT_EQ(Run("\x14\x07\x01\xc7"s), "0x1000 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(Run("\x15\x07\x00"s), "0x1000 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(Run("\x87\x03"s), "0x1000 none\n");
}

TEST_F(CfiProgramTest, RemembersAndRestoresAWholeState) {
  EXPECT_EQ(Run("\x41\x0e\x10\x86\x02\x0a"  // remember
                "\x41\x0d\x06\x0a"          // remember
                "\x41\x0c\x07\x08\xc6"
                "\x41\x0b"  // restore
                "\x41\x0b"s),
            "0x1000 cfa=r7+8 ra=-8\n"
            "0x1001 cfa=r7+16 ra=-8 fp=-16\n"
            "0x1002 cfa=r6+16 ra=-8 fp=-16\n"
            "0x1003 cfa=r7+8 ra=-8\n"
            "0x1004 cfa=r6+16 ra=-8 fp=-16\n"
            "0x1005 cfa=r7+16 ra=-8 fp=-16\n");
  EXPECT_EQ(Run("\x41\x0b"s), "0x1000 cfa=r7+8 ra=-8\n0x1001 none\n") << "nothing remembered";
}

TEST_F(CfiProgramTest, NestsStatesUpToALimit) {
  const std::string most(CfiProgram::kRememberedMax, '\x0a');
  EXPECT_EQ(Run(most + "\x41\x0e\x10"), "0x1000 cfa=r7+8 ra=-8\n0x1001 cfa=r7+16 ra=-8\n");
  EXPECT_EQ(Run(most + "\x0a\x41\x0e\x10"), "0x1000 none\n");
  EXPECT_EQ(budget_.counts, (UnwindCounts{.damaged_count = 1}));
}

TEST_F(CfiProgramTest, SkipsInstructionsThatDoNotMoveFrames) {
  EXPECT_EQ(Run("\x00\x2e\x80\x01\x00"s), "0x1000 cfa=r7+8 ra=-8\n") << "args_size";
  EXPECT_EQ(RunArm64("\x2d\x2c"s), "0x1000 cfa=r31+0 ra=r30\n") << "signed return addresses";
  EXPECT_EQ(Run("\x2d"s), "0x1000 none\n") << "of x86-64 it is not known";
}

TEST_F(CfiProgramTest, KeepsRowsBeforeTheDamage) {
  for (const char* bad : {"\x17", "\x1d", "\x3f", "\x30", "\x2b", "\x0e", "\x02", "\x0c\x07",
                          "\x16\x06\x05\x50", "\x05\x06"}) {
    EXPECT_EQ(Run("\x44\x0e\x10\x44"s + bad),
              "0x1000 cfa=r7+8 ra=-8\n0x1004 cfa=r7+16 ra=-8\n0x1008 none\n")
        << static_cast<int>(bad[0]);
    EXPECT_EQ(budget_.counts, (UnwindCounts{.damaged_count = 1}));
  }
}

TEST_F(CfiProgramTest, NumbersOutOfRangeGiveNoRule) {
  EXPECT_EQ(Run("\x0e\xff\xff\xff\xff\x0f"s), "0x1000 none\n") << "2^32 - 1";
  EXPECT_EQ(Run("\x90\x80\x80\x80\x80\x80\x80\x80\x80\x40"s), "0x1000 none\n") << "overflows";
  EXPECT_EQ(Run("\x0d\x20"s), "0x1000 none\n") << "register 32";
  EXPECT_EQ(Run("\x0d\x10"s), "0x1000 none\n") << "the return address is no base";
  EXPECT_EQ(Run("\x04\xff\xff\xff\xff\x0e\x10"s, {.code_alignment = uint64_t{1} << 62}),
            "0x1000 none\n");
}

TEST_F(CfiProgramTest, StopsAtTheEndOfTheFunctionAndOfTheSpan) {
  EXPECT_EQ(Run("\x03\x00\x01\x0e\x10"s), "0x1000 cfa=r7+8 ra=-8\n");
  const std::string instructions = "\x44\x0e\x10\x44\x0e\x18\x44\x17"s;
  EXPECT_EQ(Run(instructions, {.span = {.begin = 0x1006, .end = 0x100a}}),
            "0x1006 cfa=r7+16 ra=-8\n0x1008 cfa=r7+24 ra=-8\n");
  EXPECT_EQ(budget_.counts, UnwindCounts()) << "the damage behind it was not reached";
}

TEST_F(CfiProgramTest, RecognisesASignalFrameByItsCie) {
  EXPECT_EQ(Run("\x0f\x02\x35\x36"s, {.is_signal_frame = true}), "0x1000 signal\n");
}

TEST_F(CfiProgramTest, BadCieGivesNoRules) {
  EXPECT_EQ(Run("\x0e\x10"s, {.initial = "\x41"s}), "0x1000 none\n") << "no address to advance";
  EXPECT_EQ(Run("\x0e\x10"s, {.initial = ""s}), "0x1000 none\n") << "it does not say the CFA";
  EXPECT_EQ(Run("\x0c\x07\x08"s, {.initial = ""s}), "0x1000 none\n") << "nor the return address";
  EXPECT_EQ(Run(""s, {.initial = "\x01\x00"s}), "0x1000 none\n");
}

TEST_F(CfiProgramTest, StopsWhenTheBudgetIsExhausted) {
  EXPECT_EQ(Run("\x44\x0e\x10\x44\x0e\x18\x44\x0e\x20"s, {.steps = 2 + 3}),
            "0x1000 cfa=r7+8 ra=-8\n0x1004 cfa=r7+16 ra=-8\n0x1008 none\n");
  EXPECT_EQ(budget_.counts, (UnwindCounts{.exhausted_count = 1}));
}

}  // namespace
}  // namespace flarestack::record::unwind
