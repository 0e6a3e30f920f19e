// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/plain_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "base/sanitized.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"
#include "record/unwind/testing/rows_text.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {
namespace {

using namespace std::string_literals;
using testing::ToText;

constexpr uint64_t kText = 0x10000;

// Rows of code without any other information.
std::string RowsOf(uint16_t machine, std::string code) {
  code.resize(std::max<size_t>(code.size(), 64), machine == EM_X86_64 ? '\xcc' : '\0');
  elf::testing::ElfBuilder builder(machine);
  const size_t text = builder.AddSection(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .address = kText, .bytes = code});
  builder.AddSegmentOver(text, PT_LOAD, PF_R | PF_X);
  const std::string bytes = builder.Build();
  const auto file = elf::ElfFile::Parse(bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  const CodeSpan span = {.begin = kText, .end = kText + code.size()};
  const PlainCode plain(*MachineOf(machine), *file, 0);
  return ToText(plain.Rows(span, {{.address = kText}}));
}

std::string OfWords(std::initializer_list<uint32_t> words) {
  std::string code;
  for (const uint32_t word : words)
    elf::testing::Append(word, &code);
  return code;
}

TEST(PlainCodeTest, FollowsPushesAndBranches) {
  // push %rbx; sub $16,%rsp; test %edi,%edi; je 1f; call *%rax; 1: add $16,%rsp; pop %rbx; ret
  EXPECT_EQ(RowsOf(EM_X86_64,
                   "\x53\x48\x83\xec\x10\x85\xff\x74\x02\xff\xd0"
                   "\x48\x83\xc4\x10\x5b\xc3"s),
            "0x10000 cfa=r7+8 ra=-8 code\n"
            "0x10001 cfa=r7+16 ra=-8 code\n"
            "0x10005 cfa=r7+32 ra=-8 code\n"
            "0x1000f cfa=r7+16 ra=-8 code\n"
            "0x10010 cfa=r7+8 ra=-8 code\n"
            "0x10011 none\n");
}

TEST(PlainCodeTest, FindsAFrameOfUnknownSizeByTheFramePointer) {
  // push %rbp; mov %rsp,%rbp; sub %rdi,%rsp; nop; leave; ret
  EXPECT_EQ(RowsOf(EM_X86_64, "\x55\x48\x89\xe5\x48\x29\xfc\x90\xc9\xc3"s),
            "0x10000 cfa=r7+8 ra=-8 code\n"
            "0x10001 cfa=r7+16 ra=-8 fp=-16 code\n"
            "0x10007 cfa=r6+16 ra=-8 fp=-16 code\n"
            "0x10009 cfa=r7+8 ra=-8 code\n"
            "0x1000a none\n");
}

// A wrong rule is worse than none.
TEST(PlainCodeTest, ImplausibleFunctionHasNoRules) {
  // pop %rbx; ret: jumped to from code with more on the stack
  EXPECT_EQ(RowsOf(EM_X86_64, "\x5b\xc3"s), "0x10000 none\n");
  // push %rbx; ret
  EXPECT_EQ(RowsOf(EM_X86_64, "\x53\xc3"s), "0x10000 none\n");
  // test %edi,%edi; je 1f; push %rbx; 1: ret
  EXPECT_EQ(RowsOf(EM_X86_64, "\x85\xff\x74\x01\x53\xc3"s), "0x10000 none\n");
  // jmp *(%rax,%rdi,8): as in the middle of an interpreter
  EXPECT_EQ(RowsOf(EM_X86_64, "\xff\x24\xf8"s), "0x10000 none\n");
}

TEST(PlainCodeTest, ThreadEntryCodeStopsTheUnwind) {
  // syscall; test %eax,%eax; jne 1f; xor %ebp,%ebp; pop %rdi; call *%r9; hlt; 1: ret
  EXPECT_EQ(RowsOf(EM_X86_64, "\x0f\x05\x85\xc0\x75\x07\x31\xed\x5f\x41\xff\xd1\xf4\xc3"s),
            "0x10000 cfa=r7+8 ra=-8 code\n"
            "0x10008 stop\n"
            "0x1000d cfa=r7+8 ra=-8 code\n"
            "0x1000e none\n");
}

TEST(PlainCodeTest, ReadsLinkerStubs) {
  // push 8(%rip); jmp *16(%rip); nop; then jmp *x(%rip); push $0; jmp -16
  const std::string header = "\xff\x35\x02\0\0\0\xff\x25\x04\0\0\0\x0f\x1f\x40\0"s;
  const std::string stub = "\xff\x25\x02\0\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff"s;
  EXPECT_EQ(RowsOf(EM_X86_64, header + stub),
            "0x10000 cfa=r7+16 ra=-8 code\n"
            "0x10006 cfa=r7+24 ra=-8 code\n"
            "0x1000c none\n"
            "0x10010 cfa=r7+8 ra=-8 code\n"
            "0x1001b cfa=r7+16 ra=-8 code\n"
            "0x10020 none\n");
  // adrp x16,0; ldr x17,[x16]; add x16,x16,#0; br x17
  EXPECT_EQ(RowsOf(EM_AARCH64, OfWords({0x90000010, 0xf9400211, 0x91000210, 0xd61f0220})),
            "0x10000 cfa=r31+0 ra=r30 code\n0x10010 none\n");
}

TEST(PlainCodeTest, ReadsArm64LinkRegisterAndPairs) {
  // stp x29,x30,[sp,#-32]!; mov x29,sp; str x19,[sp,#16]; bl 0; ldr x19,[sp,#16];
  // ldp x29,x30,[sp],#32; ret
  EXPECT_EQ(RowsOf(EM_AARCH64, OfWords({0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0x97fffffd, 0xf9400bf3,
                                        0xa8c27bfd, 0xd65f03c0})),
            "0x10000 cfa=r31+0 ra=r30 code\n"
            "0x10004 cfa=r31+32 ra=-24 fp=-32 code\n"
            "0x10018 cfa=r31+0 ra=r30 code\n"
            "0x1001c none\n");
  // sub sp,sp,#48; str x30,[sp,#40]; cbz x0,1f; blr x1; 1: ldr x30,[sp,#40]; add sp,sp,#48; ret
  EXPECT_EQ(RowsOf(EM_AARCH64, OfWords({0xd100c3ff, 0xf90017fe, 0xb4000040, 0xd63f0020, 0xf94017fe,
                                        0x9100c3ff, 0xd65f03c0})),
            "0x10000 cfa=r31+0 ra=r30 code\n"
            "0x10004 cfa=r31+48 ra=r30 code\n"
            "0x10008 cfa=r31+48 ra=-8 code\n"
            "0x10014 cfa=r31+48 ra=r30 code\n"
            "0x10018 cfa=r31+0 ra=r30 code\n"
            "0x1001c none\n");
}

constexpr uint64_t kComparedBytesMax = uint64_t{1} << 20;

struct Agreement {
  uint64_t same = 0;
  uint64_t other = 0;
  uint64_t by_another_register = 0;  // based on fp instead of sp: not compared
  uint64_t unknown = 0;
  std::string example;
};

// Compares each function of a file by its tables with the same by its instructions, as if it had no
// tables.
Agreement Compare(const elf::ElfFile& file) {
  Agreement agreement;
  const auto table = UnwindTable::Of(file);
  EXPECT_TRUE(table.ok()) << table.status();
  const PlainCode plain(table->machine(), file, 0);
  for (CodeSpan code : CodeBytes(file).Spans()) {
    code.end = std::min(code.end, code.begin + kComparedBytesMax);
    for (uint64_t at = code.begin; at < code.end;) {
      const uint64_t next = std::min(code.end, (at | 0xffff) + 1);
      const std::vector<Row> from_tables = table->Rows({.begin = at, .end = next});
      const std::vector<Row> from_code = plain.Rows({.begin = at, .end = next}, {{.address = at}});
      for (uint64_t address = at; address < next; address += 4) {
        const bpf::unwind_rule& a = RuleAt(from_tables, address);
        const bpf::unwind_rule& b = RuleAt(from_code, address);
        if (a.kind != bpf::RULE_CFA || (a.flags & bpf::RULE_FROM_CODE) != 0)
          continue;
        if (b.kind == bpf::RULE_NONE) {
          ++agreement.unknown;
        } else if (a.cfa_base != b.cfa_base) {
          ++agreement.by_another_register;
        } else {
          const bool is_same =
              b.kind == a.kind && a.cfa_offset == b.cfa_offset && a.ra_offset == b.ra_offset;
          ++(is_same ? agreement.same : agreement.other);
          if (!is_same && agreement.example.size() < 2000)
            agreement.example +=
                std::to_string(address) + ": " + ToText(a) + " / " + ToText(b) + "\n";
        }
      }
      at = next;
    }
  }
  return agreement;
}

TEST(PlainCodeTest, AgreesWithTheTablesOfThisProgram) {
  const std::string bytes = elf::testing::OwnProgramBytes();
  const auto file = elf::ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok());
  const Agreement agreement = Compare(*file);
  std::cout << agreement.same << " same, " << agreement.other << " other, "
            << agreement.by_another_register << " by another register, " << agreement.unknown
            << " unknown\n"
            << agreement.example;
  // Unoptimized code, which tests may have, uses a frame pointer in all functions.
  EXPECT_GT(agreement.same + agreement.by_another_register, agreement.unknown / 2);
  // Sanitizers end functions with calls that do not return, so the start of the next function is
  // not noticed.
  const bool is_plain = !base::kIsSanitized;
  EXPECT_LE(agreement.other, agreement.same / (is_plain ? 1000 : 50)) << agreement.example;
}

}  // namespace
}  // namespace flarestack::record::unwind
