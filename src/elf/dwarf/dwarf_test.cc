// SPDX-License-Identifier: Apache-2.0
//
// Compiles programs in many ways and compares thousands of their addresses with two other
// symbolizers. If these are missing, the marked lines of a small source still verify the results.
#include "elf/dwarf/dwarf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/own_files.h"
#include "elf/testing/symbol_oracle.h"

namespace flarestack::elf {
namespace {

using testing::AskEuAddr2line;
using testing::AskLlvmSymbolizer;
using testing::ChainOf;
using testing::HasProgram;
using testing::LineOf;
using testing::MarkedSource;
using testing::OracleChain;
using testing::WorkFolder;

struct KnownRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  OracleChain chain;
  std::vector<uint32_t> start_lines;
};

struct Known {
  absl::Status status;
  DwarfStatistics statistics;
  std::vector<KnownRange> ranges;  // ascending
};

Known Read(const std::string& file, const DwarfLimits& limits = {},
           std::string_view supplementary = {}) {
  Known known;
  const auto statistics = ReadDwarf({.file = file, .supplementary = supplementary}, limits,
                                    [&](const CodeRange& range) {
                                      KnownRange& kept = known.ranges.emplace_back();
                                      kept.begin = range.begin;
                                      kept.end = range.end;
                                      kept.chain = ChainOf(range.frames);
                                      for (const SourceFrame& frame : range.frames)
                                        kept.start_lines.push_back(frame.start_line);
                                      return absl::OkStatus();
                                    });
  known.status = statistics.status();
  if (statistics.ok())
    known.statistics = *statistics;
  std::ranges::sort(known.ranges, {}, &KnownRange::begin);
  return known;
}

void ExpectNoOverlap(const Known& known) {
  for (size_t i = 1; i < known.ranges.size(); ++i) {
    ASSERT_LE(known.ranges[i - 1].end, known.ranges[i].begin);
    ASSERT_LT(known.ranges[i].begin, known.ranges[i].end);
  }
}

// The chains of all ranges, as "Inner:3 < Middle:8 < Outer:12".
std::vector<std::string> Chains(const Known& known) {
  std::vector<std::string> chains;
  for (const KnownRange& range : known.ranges) {
    std::string text;
    for (const auto& frame : range.chain) {
      base::StrAppend(&text, text.empty() ? "" : " < ", frame.function, ":", frame.line);
    }
    chains.push_back(text);
  }
  return chains;
}

// Properties of MarkedSource that hold for every way of compiling it.
void ExpectMarkedChains(const Known& known) {
  ASSERT_TRUE(known.status.ok()) << known.status;
  ExpectNoOverlap(known);
  const auto line = [](std::string_view marker) { return LineOf(MarkedSource(), marker); };
  const std::vector<std::string> chains = Chains(known);
  EXPECT_THAT(chains, ::testing::Contains(base::StrCat("Inner:", line("inner stores"),
                                                       " < Middle:", line("middle calls inner"),
                                                       " < Outer:", line("outer calls middle"))));
  EXPECT_THAT(chains, ::testing::Contains(base::StrCat("Outer:", line("outer stores"))));
  EXPECT_THAT(chains, ::testing::Contains(base::StrCat("Lonely:", line("lonely stores"))));
  for (const KnownRange& range : known.ranges) {
    for (size_t i = 0; i < range.chain.size(); ++i) {
      if (range.chain[i].function == "Inner") {
        EXPECT_EQ(range.start_lines[i], line("inner starts"));
      }
      if (range.chain[i].function == "Lonely") {
        EXPECT_EQ(range.start_lines[i], line("lonely starts"));
      }
    }
  }
}

// Returns the first address of each range, and one within it.
std::vector<uint64_t> SomeAddresses(const Known& known, size_t count_max) {
  std::vector<uint64_t> addresses;
  std::mt19937 random(7);
  for (const KnownRange& range : known.ranges) {
    addresses.push_back(range.begin);
    if (range.end - range.begin > 1)
      addresses.push_back(range.begin + 1 + random() % (range.end - range.begin - 1));
  }
  std::ranges::shuffle(addresses, random);
  addresses.resize(std::min(addresses.size(), count_max));
  return addresses;
}

const OracleChain& ChainAt(const Known& known, uint64_t address) {
  static const OracleChain kNothing;
  const auto after = std::ranges::upper_bound(known.ranges, address, {}, &KnownRange::begin);
  if (after == known.ranges.begin() || address >= std::prev(after)->end)
    return kNothing;
  return std::prev(after)->chain;
}

using OracleAnswer = std::optional<std::vector<OracleChain>>;

void ExpectAgreement(const Known& known, const std::vector<uint64_t>& addresses,
                     const OracleAnswer& oracle, const std::string& name) {
  if (!oracle.has_value()) {
    GTEST_LOG_(INFO) << name << " is not installed, so nothing was compared with it";
    return;
  }
  size_t same = 0;
  std::string differences;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const OracleChain& ours = ChainAt(known, addresses[i]);
    if (testing::SameChain(ours, (*oracle)[i]))
      ++same;
    else if (differences.size() < 3000)
      base::StrAppend(&differences, base::Hex(addresses[i]), " ours:\n", testing::ToText(ours),
                      name, ":\n", testing::ToText((*oracle)[i]));
  }
  const double share = static_cast<double>(same) / static_cast<double>(addresses.size());
  GTEST_LOG_(INFO) << same << " of " << addresses.size() << " addresses as " << name << " says";
  EXPECT_GE(share, 0.995) << differences;
}

// g++ gives two calls that were inlined side by side the same addresses in about one of a hundred
// cases of optimized code. llvm-symbolizer and we choose the second call, eu-addr2line the first.
// It also starts such chains with the function around all of them, and omits inlined calls in
// programs optimized at link time. Addresses on which the two tools disagree are not compared with
// eu-addr2line.
void ExpectAgreementOfBoth(const Known& known, const std::string& path) {
  std::vector<uint64_t> addresses = SomeAddresses(known, 2'000);
  const OracleAnswer llvm = AskLlvmSymbolizer(path, addresses);
  ExpectAgreement(known, addresses, llvm, "llvm-symbolizer");
  addresses.resize(std::min<size_t>(addresses.size(), 300));  // it takes milliseconds per address
  OracleAnswer eu = AskEuAddr2line(path, addresses);
  if (!llvm.has_value() || !eu.has_value())
    return;
  size_t kept = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (!testing::SameChain((*llvm)[i], (*eu)[i]))
      continue;
    addresses[kept] = addresses[i];
    (*eu)[kept++] = (*eu)[i];
  }
  EXPECT_GT(kept, 0u);
  addresses.resize(kept);
  eu->resize(kept);
  ExpectAgreement(known, addresses, eu, "eu-addr2line");
}

struct Build {
  std::string name;
  std::string command;
  std::string needs = "g++";  // the program that the test requires
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.command; }

std::string NameOf(const ::testing::TestParamInfo<Build>& info) { return info.param.name; }

class MarkedProgramTest : public ::testing::TestWithParam<Build> {};

TEST_P(MarkedProgramTest, HasTheExpectedInlinesAndLines) {
  const WorkFolder folder;
  if (!HasProgram(GetParam().needs))
    GTEST_SKIP() << GetParam().needs << " is not installed";
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run(GetParam().command))
    GTEST_SKIP() << "compilation failed: " << folder.Read("log");
  const Known known = Read(folder.Read("out"));
  ExpectMarkedChains(known);
  for (const KnownRange& range : known.ranges) {
    if (range.chain[0].function == "Inner") {
      EXPECT_EQ(range.chain[0].file, folder.Path("marked.c"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gcc, MarkedProgramTest,
    ::testing::Values(Build{"Dwarf2", "gcc -O1 -gdwarf-2 marked.c -o out", "gcc"},
                      Build{"Dwarf3", "gcc -O1 -gdwarf-3 marked.c -o out", "gcc"},
                      Build{"Dwarf4", "gcc -O1 -gdwarf-4 marked.c -o out", "gcc"},
                      Build{"Dwarf5", "gcc -O1 -gdwarf-5 marked.c -o out", "gcc"},
                      Build{"Dwarf64", "gcc -O1 -g -gdwarf64 marked.c -o out", "gcc"},
                      Build{"Unoptimized", "gcc -O0 -g marked.c -o out", "gcc"},
                      Build{"Compressed", "gcc -O2 -g -gz marked.c -o out", "gcc"},
                      Build{"CompressedAsBefore", "gcc -O2 -g -gz=zlib-gnu marked.c -o out", "gcc"},
                      Build{"TypeUnits", "gcc -O2 -g -fdebug-types-section marked.c -o out", "gcc"},
                      Build{"NotRelocatable", "gcc -O2 -g -no-pie marked.c -o out", "gcc"},
                      Build{"Static", "gcc -O2 -g -static marked.c -o out", "gcc"},
                      Build{"LinkTime", "gcc -O1 -g -flto marked.c -o out", "gcc"},
                      Build{"DebugFile",
                            "gcc -O2 -g marked.c -o all && objcopy --only-keep-debug all out",
                            "objcopy"},
                      Build{"Dwz", "gcc -O2 -g marked.c -o out && dwz out", "dwz"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Clang, MarkedProgramTest,
    ::testing::Values(Build{"Dwarf2", "clang-14 -O1 -gdwarf-2 marked.c -o out", "clang-14"},
                      Build{"Dwarf4", "clang-14 -O1 -gdwarf-4 marked.c -o out", "clang-14"},
                      Build{"Dwarf5", "clang-14 -O1 -gdwarf-5 marked.c -o out", "clang-14"},
                      Build{"Unoptimized", "clang-14 -O0 -g marked.c -o out", "clang-14"}),
    NameOf);

class LargeProgramTest : public ::testing::TestWithParam<Build> {};

TEST_P(LargeProgramTest, MatchesOtherSymbolizers) {
  const WorkFolder folder;
  if (!HasProgram(GetParam().needs))
    GTEST_SKIP() << GetParam().needs << " is not installed";
  folder.Write("large.cc", testing::LargeSource());
  folder.Write("other.cc", testing::LargeSourceOther());
  if (!folder.Run(GetParam().command))
    GTEST_SKIP() << "compilation failed: " << folder.Read("log");
  const Known known = Read(folder.Read("out"));
  ASSERT_TRUE(known.status.ok()) << known.status;
  ExpectNoOverlap(known);
  EXPECT_GT(known.ranges.size(), 1'000u);
  EXPECT_GT(known.statistics.function_count, 20u);
  ExpectAgreementOfBoth(known, folder.Path("out"));
}

INSTANTIATE_TEST_SUITE_P(
    Gcc, LargeProgramTest,
    ::testing::Values(Build{"Unoptimized", "g++ -O0 -g large.cc other.cc -o out"},
                      Build{"Optimized", "g++ -O2 -g large.cc other.cc -o out"},
                      Build{"OptimizedDwarf4", "g++ -O3 -gdwarf-4 large.cc other.cc -o out"},
                      Build{"LinkTime", "g++ -O2 -g -flto large.cc other.cc -o out"},
                      Build{"UnusedThrownAway",
                            "g++ -O1 -g -ffunction-sections -Wl,--gc-sections large.cc "
                            "other.cc -o out"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Clang, LargeProgramTest,
    ::testing::Values(
        Build{"Optimized", "clang++-14 -O2 -g large.cc other.cc -o out", "clang++-14"},
        Build{"Unoptimized", "clang++-14 -O0 -g large.cc other.cc -o out", "clang++-14"}),
    NameOf);

TEST(DwarfTest, RustProgramsMatchOtherSymbolizers) {
  const WorkFolder folder;
  folder.Write("main.rs", R"(
    trait Area { fn area(&self) -> f64; }
    struct Square(f64);
    impl Area for Square { fn area(&self) -> f64 { self.0 * self.0 } }
    fn main() {
      let mut words: Vec<String> = std::env::args().map(|word| word + "!").collect();
      words.sort_by(|a, b| b.len().cmp(&a.len()));
      let sum: f64 = words.iter().map(|word| Square(word.len() as f64).area()).sum();
      println!("{} {:?}", sum, words);
    }
  )");
  if (!HasProgram("rustc") || !folder.Run("rustc -C opt-level=2 -g main.rs -o out"))
    GTEST_SKIP() << "rustc is not installed";
  const Known known = Read(folder.Read("out"));
  ASSERT_TRUE(known.status.ok()) << known.status;
  ExpectNoOverlap(known);
  const std::vector<uint64_t> addresses = SomeAddresses(known, 2'000);
  ExpectAgreement(known, addresses, AskLlvmSymbolizer(folder.Path("out"), addresses),
                  "llvm-symbolizer");
}

TEST(DwarfTest, ReportsThatSplitDwarfHasLinesWithoutFunctions) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O1 -g -gsplit-dwarf marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const Known known = Read(folder.Read("out"));
  ASSERT_TRUE(known.status.ok()) << known.status;
  EXPECT_THAT(known.statistics.units_skipped,
              ::testing::ElementsAre(::testing::Pair(::testing::HasSubstr("split DWARF"), 1)));
  EXPECT_THAT(Chains(known),
              ::testing::Contains(base::StrCat(":", LineOf(MarkedSource(), "lonely stores"))));
  EXPECT_EQ(known.statistics.function_count, 0u);
}

// Hand-written equivalent of dwz output for several programs: `first` refers to an entry of the
// supplementary file, `second` has its name there.
constexpr std::string_view kMainAssembler = R"(
  .text
  .globl first, second
  .type first, %function
  .type second, %function
first: .skip 8
second: .skip 8
  .section .debug_abbrev,"",%progbits
  .uleb128 1, 0x11
  .byte 1
  .uleb128 0x13, 0x0b, 0, 0
  .uleb128 2, 0x2e
  .byte 0
  .uleb128 0x31, 0x1f20, 0x11, 0x01, 0x12, 0x07, 0, 0
  .uleb128 3, 0x2e
  .byte 0
  .uleb128 0x03, 0x1f21, 0x11, 0x01, 0x12, 0x07, 0, 0
  .byte 0
  .section .debug_info,"",%progbits
  .4byte end - begin
begin: .2byte 4
  .4byte 0
  .byte 8
  .uleb128 1
  .byte 12
  .uleb128 2
  .4byte 12
  .8byte first, 8
  .uleb128 3
  .4byte 6
  .8byte second, 8
  .byte 0
end:
)";

constexpr std::string_view kSupplementaryAssembler = R"(
  .section .debug_abbrev,"",%progbits
  .uleb128 1, 0x3c
  .byte 1
  .uleb128 0, 0
  .uleb128 2, 0x2e
  .byte 0
  .uleb128 0x03, 0x08, 0x3b, 0x0b, 0, 0
  .byte 0
  .section .debug_info,"",%progbits
  .4byte end - begin
begin: .2byte 4
  .4byte 0
  .byte 8
  .uleb128 1
  .uleb128 2
  .asciz "shared_entry"
  .byte 42
  .byte 0
end:
  .section .debug_str,"MS",%progbits,1
  .asciz "start"
  .asciz "shared_name"
)";

TEST(DwarfTest, ReadsNamesFromASupplementaryFile) {
  const WorkFolder folder;
  folder.Write("main.s", kMainAssembler);
  folder.Write("supplementary.s", kSupplementaryAssembler);
  if (!folder.Run("gcc -nostdlib -shared main.s -o main && "
                  "gcc -nostdlib -shared supplementary.s -o supplementary"))
    GTEST_SKIP() << "assembly failed: " << folder.Read("log");
  const std::string main = folder.Read("main");
  const std::string supplementary = folder.Read("supplementary");
  const Known known = Read(main, {}, supplementary);
  ASSERT_TRUE(known.status.ok()) << known.status;
  EXPECT_THAT(Chains(known), ::testing::ElementsAre("shared_entry:0", "shared_name:0"));
  EXPECT_THAT(known.ranges[0].start_lines, ::testing::ElementsAre(42));
  // Without it, the functions are found but have no names.
  EXPECT_THAT(Chains(Read(main)), ::testing::ElementsAre(":0"));
}

TEST(DwarfTest, ReportsMissingDebugInformation) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O1 marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  EXPECT_EQ(Read(folder.Read("out")).status.code(), absl::StatusCode::kNotFound);
}

TEST(DwarfTest, RejectsObjectFiles) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O1 -g -c marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  EXPECT_EQ(Read(folder.Read("out")).status.code(), absl::StatusCode::kUnimplemented);
}

TEST(DwarfTest, RejectsAFileThatIsNotElf) {
  EXPECT_EQ(Read("#!/bin/sh\n").status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read("").status.code(), absl::StatusCode::kInvalidArgument);
}

TEST(DwarfTest, StopsAtEachLimit) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O2 -g -gz marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = folder.Read("out");
  const auto status_with = [&file](auto change) {
    DwarfLimits limits;
    change(limits);
    return Read(file, limits).status.code();
  };
  constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
  EXPECT_EQ(status_with([](DwarfLimits&) {}), absl::StatusCode::kOk);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.debug_bytes_max = 100; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.units_max = 0; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.dies_max = 5; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.die_depth_max = 1; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.inline_depth_max = 1; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.scopes_max = 1; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.intervals_max = 1; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.ranges_max = 2; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.rows_max = 2; }), kExhausted);
  EXPECT_EQ(status_with([](DwarfLimits& limits) { limits.lines.rows_max = 2; }), kExhausted);
}

TEST(DwarfTest, SkipsOverlongNames) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O2 -g marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const Known known = Read(folder.Read("out"), {.name_bytes_max = 5});
  ASSERT_TRUE(known.status.ok()) << known.status;
  EXPECT_THAT(Chains(known),
              ::testing::Contains(base::StrCat(":", LineOf(MarkedSource(), "lonely stores"))));
}

TEST(DwarfTest, ReturnsTheErrorOfTheVisitor) {
  const WorkFolder folder;
  folder.Write("marked.c", MarkedSource());
  if (!folder.Run("gcc -O2 -g marked.c -o out"))
    GTEST_SKIP() << "compilation failed";
  const std::string file = folder.Read("out");
  int calls = 0;
  const auto result = ReadDwarf({.file = file}, {}, [&calls](const CodeRange&) {
    ++calls;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace flarestack::elf
