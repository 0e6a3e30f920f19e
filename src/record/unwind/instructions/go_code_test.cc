// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/go_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "base/text/text.h"
#include "elf/elf_symbols.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/go_table_builder.h"
#include "record/unwind/stack_walk.h"
#include "record/unwind/testing/own_process.h"
#include "record/unwind/testing/rows_text.h"
#include "record/unwind/testing/traced_process.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {
namespace {

using elf::GoTableVersion;
using elf::testing::GoTableBuilder;

constexpr uint64_t kText = GoTableBuilder::kText;

void AddExample(GoTableBuilder* builder) {
  builder->AddFunction(
      {.name = "main.main", .size = 32, .stack_distances = {{4, 0}, {24, 40}, {32, 0}}});
  builder->AddFunction({.name = "main.leaf", .size = 16, .stack_distances = {{16, 0}}});
  builder->AddFunction({.name = "runtime.goexit", .size = 16, .stack_distances = {{16, 0}}});
  builder->AddFunction({.name = "runtime.systemstack.abi0",
                        .size = 32,
                        .stack_distances = {{4, 0}, {28, 8}, {32, 0}}});
  builder->AddFunction({.name = "runtime.sigtramp",
                        .size = 16,
                        .stack_distances = {{16, 72}},
                        .flags = elf::kGoTopFrame});
  builder->AddFunction(
      {.name = "runtime.sigreturn__sigaction", .size = 16, .stack_distances = {{16, 0}}});
  // A C function, which the table does not describe.
  builder->AddFunction({.name = "crosscall", .size = 16});
}

std::string RowsOf(std::string program, uint16_t machine = EM_X86_64) {
  elf::testing::Poke(&program, offsetof(Elf64_Ehdr, e_machine), machine);
  const auto file = elf::ElfFile::Parse(program);
  EXPECT_TRUE(file.ok()) << file.status();
  const auto table = UnwindTable::Of(*file);
  if (!table.ok())
    return table.status().ToString();
  EXPECT_TRUE(table->is_go());
  return testing::ToText(table->Rows({.begin = kText - 16, .end = kText + 160}));
}

TEST(GoCodeTest, BuildsX86RulesFromEveryLayout) {
  for (const GoTableVersion version : {GoTableVersion::kGo12, GoTableVersion::kGo116,
                                       GoTableVersion::kGo118, GoTableVersion::kGo120}) {
    GoTableBuilder builder(version);
    AddExample(&builder);
    EXPECT_EQ(RowsOf(builder.Program(GoTableBuilder::Place::kSections)),
              "0x400ff0 none\n"
              "0x401000 cfa=r7+8 ra=-8\n"
              "0x401004 cfa=r7+48 ra=-8 fp=-16\n"
              "0x401018 cfa=r7+8 ra=-8\n"
              "0x401030 stop\n"
              "0x401040 cfa=r7+8 ra=-8\n"
              "0x401044 cfa=r6+16 ra=-8 fp=-16 other-stack\n"
              "0x40105c cfa=r7+8 ra=-8\n"
              "0x401060 cfa=r7+80 ra=-8\n"
              "0x40106f signal\n"
              "0x401080 none\n")
        << static_cast<int>(version);
  }
}

TEST(GoCodeTest, BuildsArm64Rules) {
  GoTableBuilder builder(GoTableVersion::kGo120, 4);
  AddExample(&builder);
  std::string stripped = builder.Program(GoTableBuilder::Place::kSegmentsOnly);
  elf::testing::Poke(&stripped, offsetof(Elf64_Ehdr, e_shoff), uint64_t{0});
  elf::testing::Poke(&stripped, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0});
  EXPECT_EQ(RowsOf(stripped, EM_AARCH64),
            "0x400ff0 none\n"
            "0x401000 cfa=r31+0 ra=r30\n"
            "0x401004 cfa=r31+40 ra=-40 fp=-48\n"
            "0x401018 cfa=r31+0 ra=r30\n"
            "0x401030 stop\n"
            "0x401040 cfa=r31+0 ra=r30\n"
            "0x401044 cfa=r29+16 ra=-8 fp=-16 other-stack\n"
            "0x40105c cfa=r31+0 ra=r30\n"
            "0x401060 cfa=r31+72 ra=-72\n"
            "0x40106f signal\n"
            "0x401080 none\n");
}

TEST(GoCodeTest, FlagsMarkWhereStacksBeginAndChange) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  builder.AddFunction({.name = "runtime.mystart",
                       .size = 16,
                       .stack_distances = {{16, 8}},
                       .flags = elf::kGoTopFrame});
  builder.AddFunction({.name = "runtime.walltime",
                       .size = 16,
                       .stack_distances = {{16, 24}},
                       .flags = elf::kGoStackSwitch});
  builder.AddFunction({.name = "runtime.cgocallback",
                       .size = 16,
                       .stack_distances = {{16, 24}},
                       .flags = elf::kGoStackSwitch});
  EXPECT_EQ(RowsOf(builder.Program(GoTableBuilder::Place::kSections)),
            "0x400ff0 none\n"
            "0x401000 stop\n"
            "0x401010 cfa=r6+16 ra=-8 fp=-16 other-stack\n"
            "0x401030 none\n");
}

// crosscall2 saves the registers of C in a layout of its own.
TEST(GoCodeTest, FramesOfCFollowWhereItCallsGo) {
  GoTableBuilder x86(GoTableVersion::kGo120);
  x86.AddFunction(
      {.name = "crosscall2", .size = 32, .stack_distances = {{1, 0}, {8, 8}, {31, 56}, {32, 0}}});
  EXPECT_EQ(RowsOf(x86.Program(GoTableBuilder::Place::kSections)),
            "0x400ff0 none\n"
            "0x401000 cfa=r7+8 ra=-8\n"
            "0x401001 cfa=r7+16 ra=-8 fp=-16\n"
            "0x401008 cfa=r7+64 ra=-8 fp=-16\n"
            "0x40101f cfa=r7+8 ra=-8\n"
            "0x401020 none\n");
  GoTableBuilder arm64(GoTableVersion::kGo120, 4);
  arm64.AddFunction(
      {.name = "crosscall2", .size = 32, .stack_distances = {{4, 0}, {28, 192}, {32, 0}}});
  EXPECT_EQ(RowsOf(arm64.Program(GoTableBuilder::Place::kSections), EM_AARCH64),
            "0x400ff0 none\n"
            "0x401000 cfa=r31+0 ra=r30\n"
            "0x401004 cfa=r31+192 ra=-8 fp=-16 code\n"
            "0x40101c cfa=r31+0 ra=r30\n"
            "0x401020 none\n");
}

TEST(GoCodeTest, PagesMaySplitFunctions) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  const std::string program = builder.Program(GoTableBuilder::Place::kSections);
  const auto file = elf::ElfFile::Parse(program);
  const auto table = UnwindTable::Of(*file);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(testing::ToText(table->Rows({.begin = kText + 8, .end = kText + 25})),
            "0x401008 cfa=r7+48 ra=-8 fp=-16\n0x401018 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(testing::ToText(table->Find(kText + 0x6f)), "signal") << "one byte early";
  EXPECT_EQ(testing::ToText(table->Find(kText + 0x6e)), "cfa=r7+80 ra=-8");
}

// ---- A real program ----------------------------------------------------------------------------

constexpr std::string_view kProgram = R"(package main

import (
    "fmt"
    "os"
    "runtime"
    "syscall"
)

func init() { runtime.LockOSThread() }

var sink []byte

//go:noinline
func work(n int) int {
    sink = make([]byte, 1<<17)
    m := map[string]int{}
    for i := 0; i < n; i++ {
        m[fmt.Sprint(i, "x", 1.5)] = i
    }
    runtime.GC()
    return len(m)
}

//go:noinline
func report() {
    pcs := make([]uintptr, 64)
    n := runtime.Callers(2, pcs)
    for _, pc := range pcs[:n] {
        fmt.Printf("%x\n", pc)
    }
    os.Stdout.Sync()
    syscall.Tgkill(syscall.Getpid(), syscall.Gettid(), syscall.SIGTRAP)
    work(20)
}

//go:noinline
func deep(n int) int {
    if n == 0 {
        report()
        return 1
    }
    return deep(n-1) + 1
}

func main() { fmt.Println(deep(10)) }
)";

// Rules of a program that is loaded at the addresses in its file.
class ProgramRules final : public RuleSource {
 public:
  explicit ProgramRules(const UnwindTable& table) : table_(table) {}
  bpf::unwind_rule RuleAt(uint64_t address) override { return table_.Find(address); }

 private:
  const UnwindTable& table_;
};

struct Stack {
  std::vector<uint64_t> pcs;
  bpf::unwind_end end = bpf::UNWIND_MORE;
};

Stack WalkFrom(const testing::TracedProcess& process, RuleSource& rules) {
  testing::ProcessMemory memory(process.pid());
  Stack stack;
  stack.end = Walk(process.Registers(), memory, rules,
                   [&stack](const WalkedFrame& frame) { stack.pcs.push_back(frame.pc); });
  return stack;
}

struct StackCounts {
  int whole = 0;
  int switched = 0;
  int scheduling = 0;  // on the scheduler's stack, which has no link back
};

std::string NameOf(const std::vector<elf::ElfSymbol>& symbols, uint64_t address) {
  const elf::ElfSymbol* symbol = elf::FindSymbol(symbols, address);
  return symbol == nullptr ? base::Hex(address) : std::string(symbol->name);
}

// The program allocates memory and triggers garbage collection, so stack switches occur as well.
TEST(GoCodeTest, UnwindsARealProgramLikeItsRuntime) {
  constexpr int kStepsMax = 30000;
  if (!elf::testing::HasProgram("go"))
    GTEST_SKIP() << "no Go here";
  elf::testing::WorkFolder folder;
  folder.Write("main.go", kProgram);
  folder.Write("go.mod", "module example\n\ngo 1.18\n");
  if (!folder.Run("CGO_ENABLED=0 go build -gcflags=all=-l -o program . 2>&1"))
    GTEST_SKIP() << "this Go does not build programs";
  const auto bytes = base::MappedFile::Open(folder.Path("program"));
  ASSERT_TRUE(bytes.ok());
  const auto file = elf::ElfFile::Parse(bytes->bytes());
  const auto table = UnwindTable::Of(*file);
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE(table->is_go());
  const auto symbols = elf::ReadFunctionSymbols(*file);
  ASSERT_TRUE(symbols.ok());
  ProgramRules rules(*table);
  setenv("GODEBUG", "asyncpreemptoff=1", 1);
  testing::TracedProcess process =
      testing::TracedProcess::Start(folder.Path("program"), folder.Path("output"));
  if (!process.is_stopped())
    GTEST_SKIP() << "processes may not be traced here";

  const Stack first = WalkFrom(process, rules);
  EXPECT_EQ(first.end, bpf::UNWIND_COMPLETE);
  std::vector<uint64_t> theirs;
  std::istringstream lines(folder.Read("output"));
  for (std::string line; std::getline(lines, line);)
    theirs.push_back(std::stoull(line, nullptr, 16));
  ASSERT_GT(theirs.size(), 12u);
  ASSERT_GT(first.pcs.size(), theirs.size());
  EXPECT_EQ(
      std::vector(first.pcs.end() - static_cast<std::ptrdiff_t>(theirs.size()), first.pcs.end()),
      theirs);

  std::map<std::string, int> failures;
  StackCounts counts;
  for (int i = 0; i < kStepsMax && process.Step(); ++i) {
    const Stack stack = WalkFrom(process, rules);
    const std::string last = NameOf(*symbols, stack.pcs.back());
    const bool is_complete = stack.end == bpf::UNWIND_COMPLETE;
    if (is_complete && stack.pcs.back() == first.pcs.back()) {
      ++counts.whole;
      counts.switched += std::any_of(stack.pcs.begin(), stack.pcs.end(), [&](uint64_t pc) {
        return NameOf(*symbols, pc - 1).starts_with("runtime.systemstack");
      });
    } else if (is_complete &&
               (last.starts_with("runtime.morestack") || last.starts_with("runtime.gogo") ||
                last.starts_with("runtime.mcall"))) {
      ++counts.scheduling;
    } else {
      ++failures[base::StrCat("end ", static_cast<int>(stack.end), " at ", last, " from ",
                              NameOf(*symbols, stack.pcs.front()))];
    }
  }
  std::cout << counts.whole << " whole, " << counts.switched << " of them over two stacks, "
            << counts.scheduling << " of the scheduler\n";
  for (const auto& [what, count] : failures)
    ADD_FAILURE() << what << ": " << count << " times";
  // The runtime's clock advances while single-stepping is slow, so the program may be in its
  // scheduler most of the time.
  EXPECT_GT(counts.whole, 10);
}

// C runs on the thread's stack, and Go code it calls back runs on the goroutine's stack again.
constexpr std::string_view kCallingC = R"(package main

/*
#include <signal.h>
void back(void);
static int stop(int a) { back(); return a + 1; }
static void trap(void) { raise(SIGTRAP); }
*/
import "C"
import "runtime"

func init() { runtime.LockOSThread() }

//export back
func back() { C.trap() }

//go:noinline
func caller() int { return int(C.stop(3)) }

func main() { println(caller()) }
)";

TEST(GoCodeTest, UnwindsFromCBackToGo) {
  if (!elf::testing::HasProgram("go") || !elf::testing::HasProgram("gcc"))
    GTEST_SKIP() << "no Go or no gcc here";
  elf::testing::WorkFolder folder;
  folder.Write("main.go", kCallingC);
  folder.Write("go.mod", "module example\n\ngo 1.18\n");
  if (!folder.Run("CGO_ENABLED=1 go build -ldflags='-extldflags=-static' -o program . 2>&1"))
    GTEST_SKIP() << "this Go does not build programs with C";
  const auto bytes = base::MappedFile::Open(folder.Path("program"));
  ASSERT_TRUE(bytes.ok());
  const auto file = elf::ElfFile::Parse(bytes->bytes());
  const auto table = UnwindTable::Of(*file);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_GT(table->entry_count(), 100u) << "the C library has its own tables";
  const auto symbols = elf::ReadFunctionSymbols(*file);
  ASSERT_TRUE(symbols.ok());
  ProgramRules rules(*table);
  testing::TracedProcess process =
      testing::TracedProcess::Start(folder.Path("program"), folder.Path("output"));
  if (!process.is_stopped())
    GTEST_SKIP() << "processes may not be traced here";
  const Stack stack = WalkFrom(process, rules);
  std::string names;
  for (const uint64_t pc : stack.pcs)
    base::StrAppend(&names, NameOf(*symbols, pc - 1), "\n");
  EXPECT_EQ(stack.end, bpf::UNWIND_COMPLETE) << names;
  size_t at = 0;
  for (const char* name :
       {"raise", "runtime.asmcgocall", "runtime.cgocall", "_back", "runtime.cgocallback",
        "crosscall2", "back", "_Cfunc_stop", "runtime.asmcgocall", "runtime.cgocall", "main.caller",
        "main.main", "runtime.main", "runtime.goexit"}) {
    at = names.find(name, at);
    ASSERT_NE(at, std::string::npos) << name << " is not in its place in\n" << names;
    at += std::string_view(name).size();
  }
}

}  // namespace
}  // namespace flarestack::record::unwind
