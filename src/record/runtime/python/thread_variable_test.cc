// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/thread_variable.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace flarestack::record::runtime {
namespace {

using Kind = ThreadVariable::Kind;
using namespace std::string_view_literals;

constexpr uint64_t kAddress = 0x10000;

std::string FromWords(const std::vector<uint32_t>& words) {
  std::string code(words.size() * 4, '\0');
  std::memcpy(code.data(), words.data(), code.size());
  return code;
}

// As GCC 12 and clang 14 compile "return variable;", at kAddress.
TEST(ThreadVariableTest, FindsAllModelsOfX86) {
  // mov %fs:-8,%rax; ret
  EXPECT_EQ(FindReturnedVariable(
                EM_X86_64, "\xf3\x0f\x1e\xfa\x64\x48\x8b\x04\x25\xf8\xff\xff\xff\xc3"sv, kAddress),
            (ThreadVariable{.kind = Kind::kOffset, .offset = -8}));
  // mov 0x100(%rip),%rax; mov %fs:(%rax),%rax; ret
  EXPECT_EQ(FindReturnedVariable(EM_X86_64, "\x48\x8b\x05\x00\x01\x00\x00\x64\x48\x8b\x00\xc3"sv,
                                 kAddress),
            (ThreadVariable{.kind = Kind::kWord, .address = kAddress + 7 + 0x100}));
  // sub $8,%rsp; data16 lea 0x100(%rip),%rdi; call; mov (%rax),%rax
  EXPECT_EQ(
      FindReturnedVariable(EM_X86_64,
                           "\x48\x83\xec\x08\x66\x48\x8d\x3d\x00\x01\x00\x00"
                           "\x66\x66\x48\xe8\x00\x00\x00\x00\x48\x8b\x00\x48\x83\xc4\x08\xc3"sv,
                           kAddress),
      (ThreadVariable{.kind = Kind::kModulePair, .address = kAddress + 12 + 0x100}));
  // lea 0x100(%rip),%rdi; call; mov 0x18(%rax),%rax: relative to the block
  EXPECT_EQ(FindReturnedVariable(EM_X86_64,
                                 "\x48\x83\xec\x08\x48\x8d\x3d\x00\x01\x00\x00\xe8\x00\x00\x00\x00"
                                 "\x48\x8b\x80\x18\x00\x00\x00\x48\x83\xc4\x08\xc3"sv,
                                 kAddress),
            (ThreadVariable{
                .kind = Kind::kModulePair, .address = kAddress + 11 + 0x100, .offset = 0x18}));
  // lea 0x100(%rip),%rax; call *(%rax); mov %fs:(%rax),%rax
  EXPECT_EQ(FindReturnedVariable(
                EM_X86_64, "\x48\x8d\x05\x00\x01\x00\x00\xff\x10\x64\x48\x8b\x00\xc3"sv, kAddress),
            (ThreadVariable{.kind = Kind::kDescriptor, .address = kAddress + 7 + 0x100}));
}

TEST(ThreadVariableTest, IgnoresTheStackProtector) {
  // mov %fs:0x28,%rax
  EXPECT_EQ(FindReturnedVariable(EM_X86_64, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00\xc3"sv, kAddress),
            std::nullopt);
}

TEST(ThreadVariableTest, FindsAllModelsOfArm64) {
  // mrs x0, tpidr_el0; add x0, x0, #0, lsl #12; add x0, x0, #0x18; ldr x0, [x0]
  EXPECT_EQ(FindReturnedVariable(
                EM_AARCH64, FromWords({0xd53bd040, 0x91400000, 0x91006000, 0xf9400000, 0xd65f03c0}),
                kAddress),
            (ThreadVariable{.kind = Kind::kOffset, .offset = 0x18}));
  // adrp x1, +1 page; ldr x1, [x1, #8]; mrs x0, tpidr_el0; ldr x0, [x0, x1]
  EXPECT_EQ(FindReturnedVariable(
                EM_AARCH64, FromWords({0xb0000001, 0xf9400421, 0xd53bd040, 0xf8616800, 0xd65f03c0}),
                kAddress),
            (ThreadVariable{.kind = Kind::kWord, .address = 0x11008}));
  // stp; adrp x0, +1 page; ldr x1, [x0, #8]; add x0, x0, #8; blr x1; mrs x1; ldr x0, [x1, x0]
  EXPECT_EQ(FindReturnedVariable(EM_AARCH64,
                                 FromWords({0xa9bf7bfd, 0xb0000000, 0xf9400401, 0x91002000,
                                            0xd63f0020, 0xd53bd041, 0xf8606820}),
                                 kAddress),
            (ThreadVariable{.kind = Kind::kDescriptor, .address = 0x11008}));
}

TEST(ThreadVariableTest, OtherCodeHasNone) {
  EXPECT_EQ(FindReturnedVariable(EM_X86_64, "\x31\xc0\xc3"sv, kAddress), std::nullopt);
  EXPECT_EQ(FindReturnedVariable(EM_X86_64, ""sv, kAddress), std::nullopt);
  EXPECT_EQ(FindReturnedVariable(EM_AARCH64, FromWords({0xd65f03c0}), kAddress), std::nullopt);
}

}  // namespace
}  // namespace flarestack::record::runtime
