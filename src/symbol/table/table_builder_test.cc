// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "elf/elf_file.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/own_files.h"
#include "elf/testing/symbol_oracle.h"
#include "symbol/table/symbol_table.h"
#include "symbol/testing/table_text.h"

namespace flarestack::symbol {
namespace {

using elf::testing::LineOf;
using elf::testing::MarkedSource;
using elf::testing::WorkFolder;
using ::testing::Contains;
using testing::FrameText;
using ::testing::HasSubstr;

// The frames of each range, without files.
std::vector<std::string> Chains(const SymbolTable& table) {
  std::vector<std::string> chains;
  table.VisitAll([&chains](const CodeAt& code) {
    std::string text;
    for (const elf::SourceFrame& frame : code.frames())
      base::StrAppend(&text, text.empty() ? "" : " < ", frame.function, ":", frame.line);
    chains.push_back(text);
  });
  return chains;
}

std::string MarkedChain() {
  const auto line = [](std::string_view marker) { return LineOf(MarkedSource(), marker); };
  return base::StrCat("Inner:", line("inner stores"), " < Middle:", line("middle calls inner"),
                      " < Outer:", line("outer calls middle"));
}

class TableBuilderTest : public ::testing::Test {
 protected:
  // Compiles MarkedSource and runs `command` on it.
  bool Make(const std::string& command) {
    folder_.Write("marked.c", MarkedSource());
    return folder_.Run(command);
  }
  std::string File(std::string_view name) const { return folder_.Read(name); }

  WorkFolder folder_;
};

TEST_F(TableBuilderTest, SymbolizesAProgramWithDebugInformationCompletely) {
  if (!Make("gcc -O2 -g -Wl,--build-id marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = File("out");
  const auto built = BuildTable({.executable = file});
  ASSERT_TRUE(built.ok()) << built.status();
  const auto table = SymbolTable::Open(built->bytes);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Chains(*table), Contains(MarkedChain()));
  // The C library's startup code has no debug information, but names.
  EXPECT_THAT(Chains(*table), Contains("_start:0"));
  EXPECT_GT(built->range_counts[static_cast<size_t>(Quality::kDwarf)], 5u);
  EXPECT_GT(built->range_counts[static_cast<size_t>(Quality::kSymtab)], 5u);
  EXPECT_THAT(table->ids(), ::testing::SizeIs(2));
  EXPECT_EQ(table->machine(), elf::ElfFile::Parse(file)->machine());
}

TEST_F(TableBuilderTest, StrippedProgramWithDebugFileMatchesTheWhole) {
  if (!Make("gcc -O2 -g -Wl,--build-id marked.c -o whole && objcopy --only-keep-debug whole debug "
            "&& objcopy --strip-all whole stripped"))
    GTEST_SKIP() << "compilation failed";
  const std::string whole = File("whole");
  const std::string stripped = File("stripped");
  const std::string debug = File("debug");
  const auto one = BuildTable({.executable = whole});
  const auto two = BuildTable({.executable = stripped, .debug_file = debug});
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(testing::TableText(*SymbolTable::Open(one->bytes)),
            testing::TableText(*SymbolTable::Open(two->bytes)));
  const auto debug_alone = BuildTable({.debug_file = debug});
  ASSERT_TRUE(debug_alone.ok()) << debug_alone.status();
  EXPECT_THAT(Chains(*SymbolTable::Open(debug_alone->bytes)), Contains(MarkedChain()));
}

TEST_F(TableBuilderTest, ReportsWhatAStrippedProgramLacks) {
  if (!Make("gcc -O2 -rdynamic marked.c -o out && strip out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = File("out");
  const auto built = BuildTable({.executable = file});
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_THAT(built->notes, Contains(HasSubstr("names from dynsym")));
  EXPECT_THAT(built->notes, Contains(HasSubstr("no DWARF: no .debug_info section")));
  EXPECT_THAT(built->notes, Contains(HasSubstr("stripped")));
  EXPECT_THAT(Chains(*SymbolTable::Open(built->bytes)), Contains("Outer:0"));
}

TEST_F(TableBuilderTest, RejectsADebugFileOfAnotherBuild) {
  if (!Make(
          "gcc -O2 -g -Wl,--build-id marked.c -o one && gcc -O0 -g -Wl,--build-id marked.c -o two"))
    GTEST_SKIP() << "compilation failed";
  const std::string one = File("one");
  const std::string two = File("two");
  const auto built = BuildTable({.executable = one, .debug_file = two});
  EXPECT_EQ(built.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TableBuilderTest, SplitDwarfGetsNamesFromSymbolsAndLinesFromDwarf) {
  if (!Make("gcc -O2 -g -gsplit-dwarf marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = File("out");
  const auto built = BuildTable({.executable = file});
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_THAT(built->notes, Contains(HasSubstr("split DWARF")));
  EXPECT_THAT(Chains(*SymbolTable::Open(built->bytes)),
              Contains(base::StrCat("Lonely:", LineOf(MarkedSource(), "lonely stores"))));
}

TEST_F(TableBuilderTest, FunctionsWithoutNamesKeepTheirBounds) {
  if (!Make("gcc -O2 -fasynchronous-unwind-tables marked.c -o whole && strip whole -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string whole = File("whole");
  const std::string stripped = File("out");
  const auto named = BuildTable({.executable = whole});
  const auto nameless = BuildTable({.executable = stripped});
  ASSERT_TRUE(named.ok()) << named.status();
  ASSERT_TRUE(nameless.ok()) << nameless.status();
  const auto names = SymbolTable::Open(named->bytes);
  const auto bounds = SymbolTable::Open(nameless->bytes);
  CodeAt code;
  size_t found = 0;
  names->VisitAll([&](const CodeAt& function) {
    if (function.frames()[0].function != "Outer" && function.frames()[0].function != "Lonely")
      return;
    ++found;
    ASSERT_TRUE(bounds->Find(function.begin(), &code));
    EXPECT_EQ(code.quality(), Quality::kEhFrame);
    EXPECT_EQ(code.frames()[0].function, "");
    EXPECT_EQ(code.begin(), function.begin());
  });
  EXPECT_EQ(found, 2u);
}

TEST_F(TableBuilderTest, GoProgramWithoutDwarfGetsLinesFromPclntab) {
  folder_.Write("main.go", R"(package main
import "os"
//go:noinline
func work(n int) int { return n * len(os.Args) }
func main() { println(work(7)) }
)");
  if (!elf::testing::HasProgram("go") ||
      !folder_.Run("HOME=$PWD GOFLAGS=-mod=mod go build -ldflags='-s -w' -o out main.go"))
    GTEST_SKIP() << "Go is not installed";
  const std::string file = File("out");
  const auto built = BuildTable({.executable = file});
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_THAT(Chains(*SymbolTable::Open(built->bytes)), Contains("main.work:4"));
}

TEST_F(TableBuilderTest, RejectsEmptyAndInvalidInput) {
  EXPECT_EQ(BuildTable({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BuildTable({.executable = "rubbish"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TableBuilderTest, StopsAtALimit) {
  if (!Make("gcc -O2 -g marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = File("out");
  BuildLimits limits;
  limits.dwarf.dies_max = 3;
  EXPECT_EQ(BuildTable({.executable = file}, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.table.ranges_max = 3;
  EXPECT_EQ(BuildTable({.executable = file}, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(TableBuilderTest, LargeProgramMatchesAnotherSymbolizer) {
  folder_.Write("large.cc", elf::testing::LargeSource());
  folder_.Write("other.cc", elf::testing::LargeSourceOther());
  if (!folder_.Run("g++ -O2 -g large.cc other.cc -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = File("out");
  const auto built = BuildTable({.executable = file});
  ASSERT_TRUE(built.ok()) << built.status();
  // At most an eighth; the format promises a fifth.
  EXPECT_LT(built->bytes.size() * 8, built->dwarf.debug_bytes);
  const auto table = SymbolTable::Open(built->bytes);
  std::vector<uint64_t> addresses;
  table->VisitAll([&addresses](const CodeAt& code) {
    if (code.quality() == Quality::kDwarf)
      addresses.push_back(code.end() - 1);
  });
  // Functions that no other file sees have their full names.
  EXPECT_THAT(Chains(*table), Contains(HasSubstr("_ZNK12_GLOBAL__N_17PolygonILi3EE4AreaEv")));
  const auto oracle = elf::testing::AskLlvmSymbolizer(folder_.Path("out"), addresses);
  if (!oracle.has_value())
    GTEST_SKIP() << "llvm-symbolizer is not installed";
  size_t same = 0;
  table->FindAll(addresses, [&](size_t i, const CodeAt& code) {
    same += elf::testing::SameChain(elf::testing::ChainOf(code.frames()), (*oracle)[i]) ? 1 : 0;
  });
  EXPECT_GE(static_cast<double>(same), 0.995 * static_cast<double>(addresses.size()));
}

}  // namespace
}  // namespace flarestack::symbol
