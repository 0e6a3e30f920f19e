// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_runtime.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "elf/testing/elf_builder.h"
#include "elf/testing/go_table_builder.h"

namespace flarestack::elf {
namespace {

using Kind = GoThreadPlace::Kind;
using testing::GoTableBuilder;
using namespace std::string_literals;  // for strings with NUL bytes

constexpr uint64_t kData = 0x403000;

struct Program {
  uint16_t machine = EM_X86_64;
  uint16_t type = ET_EXEC;
  std::string function;
  std::string code;
  std::string data = {};
  uint64_t thread_local_bytes = 0;  // 0: no segment
};

// A program whose table has one function, with its code and data.
std::string Build(const Program& program) {
  GoTableBuilder table(GoTableVersion::kGo120);
  table.AddFunction({.name = "runtime.other", .size = 0x100});
  table.AddFunction({.name = program.function, .size = 32});
  testing::ElfBuilder builder(program.machine, program.type);
  const auto add = [&](const std::string& name, uint64_t address, uint32_t flags,
                       std::string bytes) {
    const size_t section = builder.AddSection(
        {.name = name, .flags = SHF_ALLOC, .address = address, .bytes = std::move(bytes)});
    builder.AddSegmentOver(section, PT_LOAD, flags);
  };
  add(".text", GoTableBuilder::kText, PF_R | PF_X, std::string(0x100, '\xcc') + program.code);
  add(".data", kData, PF_R | PF_W, program.data + std::string(16, '\0'));
  add(".gopclntab", GoTableBuilder::kTable, PF_R, table.Table());
  add(".go.module", GoTableBuilder::kModule, PF_R | PF_W, table.ModuleData());
  if (program.thread_local_bytes != 0)
    builder.AddSegment({.type = PT_TLS, .flags = PF_R, .memory_bytes = program.thread_local_bytes});
  return builder.Build();
}

absl::StatusOr<GoThreadPlace> PlaceIn(const Program& program) {
  const std::string bytes = Build(program);
  const auto file = ElfFile::Parse(bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  return FindGoThreadPlace(*file, {});
}

GoThreadPlace At(int64_t offset) { return {.kind = Kind::kThreadOffset, .offset = offset}; }

TEST(GoRuntimeTest, KnowsTheFieldsOfEveryTestedVersion) {
  const auto fields = [](std::string_view version) {
    return GoFieldsOf(version).value_or(GoFields{});
  };
  for (const char* const version : {"go1.18.10", "go1.19.13", "go1.20.14"})
    EXPECT_EQ(fields(version), (GoFields{48, 152, 360, 192, false})) << version;
  for (const char* const version : {"go1.21.13", "go1.22.12"})
    EXPECT_EQ(fields(version), (GoFields{48, 152, 344, 192, false})) << version;
  EXPECT_EQ(fields("go1.23.8"), (GoFields{48, 160, 352, 192, false}));
  EXPECT_EQ(fields("go1.24.5"), (GoFields{48, 160, 352, 192, true}));
  EXPECT_EQ(fields("go1.25.3"), (GoFields{48, 152, 344, 184, true}));
  EXPECT_EQ(fields("go1.26.8"), (GoFields{48, 152, 352, 184, true}));
}

TEST(GoRuntimeTest, DoesNotGuessTheFieldsOfOtherVersions) {
  for (const char* const version : {"go1.17.13", "go1.27.0", "devel go1.26-abc", "go1.26rc1", ""})
    EXPECT_EQ(GoFieldsOf(version), std::nullopt) << version;
}

TEST(GoRuntimeTest, FindsThePlaceInX86Code) {
  Program program = {.function = "runtime.sigpanic0.abi0",
                     .code = "\x64\x4c\x8b\x34\x25\x90\xff\xff\xff"s};
  EXPECT_EQ(PlaceIn(program).value(), At(-112));
  program.type = ET_DYN;
  program.code = "\x49\xc7\xc6\xf8\xff\xff\xff\x64\x4d\x8b\x36"s;
  EXPECT_EQ(PlaceIn(program).value(), At(-8));
  // Through a word that the dynamic linker writes.
  program.code = "\x4c\x8b\x35\x10\x20\x30\x00\x64\x4d\x8b\x36"s;
  EXPECT_EQ(PlaceIn(program).status().code(), absl::StatusCode::kUnimplemented);
  program.code = "\x64\x4c\x8b\x34\x25\x90\xff"s;
  EXPECT_FALSE(PlaceIn(program).ok());
  program.function = "runtime.another";
  EXPECT_EQ(PlaceIn(program).status().code(), absl::StatusCode::kNotFound);
}

TEST(GoRuntimeTest, ProgramsWithoutOtherThreadLocalVariablesNeedNoSearch) {
  const Program program = {.function = "runtime.another", .code = "", .thread_local_bytes = 8};
  EXPECT_EQ(PlaceIn(program).value(), At(-8));
  Program library = program;
  library.type = ET_DYN;
  EXPECT_FALSE(PlaceIn(library).ok());
}

// adrp x27, 0x403000; ldrsb x0, [x27, #4]; cbz x0; mrs x0, tpidr_el0; ...
constexpr std::string_view kArm64Head =
    "\x1b\x00\x00\xd0\x60\x13\x80\x39\x80\x00\x00\xb4\x40\xd0\x3b\xd5";

TEST(GoRuntimeTest, FindsThePlaceInArm64Code) {
  Program program = {.machine = EM_AARCH64, .function = "runtime.load_g"};
  program.code = std::string(kArm64Head.data(), 16) + "\x1b\x02\x80\xd2\x1c\x68\x7b\xf8"s;
  EXPECT_EQ(PlaceIn(program).value().kind, Kind::kRegister);
  program.data = "\0\0\0\0\1"s;  // iscgo
  EXPECT_EQ(PlaceIn(program).value(), At(16));
  program.code = std::string(kArm64Head.data(), 16) + "\x3b\x00\xa0\xd2\x1b\x02\x80\xf2"s;
  EXPECT_EQ(PlaceIn(program).value(), At(0x10010));
  program.code = std::string(kArm64Head.data(), 16) + "\x1b\x02\x80\x12\x1b\x02\x80\xf2"s;
  EXPECT_EQ(PlaceIn(program).status().code(), absl::StatusCode::kUnimplemented);
  program.code = std::string(32, '\0');
  EXPECT_EQ(PlaceIn(program).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace flarestack::elf
