// SPDX-License-Identifier: Apache-2.0
//
// Compares our results for programs built with the installed Go with `go tool addr2line` (the
// innermost line and the outermost function) and, for inlined calls, with llvm-symbolizer reading
// the DWARF of the same program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "elf/go/go_pclntab.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::OutputOf;

constexpr size_t kAddressCount = 3000;

constexpr std::string_view kProgram = R"(package main

import (
    "encoding/json"
    "fmt"
    "os"
    "sort"
)

type point struct{ X, Y int }

func (p point) add(q point) point { return point{p.X + q.X, p.Y + q.Y} }
func square(a int) int            { return a * a }
func norm(p point) int            { return square(p.X) + square(p.Y) }

//go:noinline
func work(points []point) int {
    total := 0
    for _, p := range points {
        total += norm(p.add(point{1, 2}))
    }
    return total
}

func main() {
    points := []point{}
    for i := 0; i < len(os.Args)*10; i++ {
        points = append(points, point{i, -i})
    }
    sort.Slice(points, func(a, b int) bool { return norm(points[a]) < norm(points[b]) })
    text, err := json.Marshal(points)
    fmt.Println(work(points), string(text), err)
}
)";

// `function` and `file:line` of each frame, innermost first.
using Frames = std::vector<std::pair<std::string, std::string>>;

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  Frames frames;
  friend bool operator==(const Range&, const Range&) = default;
};

std::vector<Range> ReadRanges(const std::filesystem::path& program) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<Range> ranges;
  const auto file = ElfFile::Parse(bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok())
    return ranges;
  const absl::Status status = VisitGoFunctions(*file, {}, [&](const CodeRange& range) {
    Range copy = {.begin = range.begin, .end = range.end};
    for (const SourceFrame& frame : range.frames)
      copy.frames.emplace_back(frame.function, base::StrCat(frame.file, ":", frame.line));
    ranges.push_back(std::move(copy));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return ranges;
}

class GoPclntabOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    // Go's standard install location, in case it is not on the path.
    go_ = OutputOf("PATH=$PATH:/usr/local/go/bin command -v go 2>/dev/null");
    go_ = go_.substr(0, go_.find('\n'));
    if (go_.empty())
      GTEST_SKIP() << "Go is not installed";
    std::string name = (std::filesystem::temp_directory_path() / "flarestack_go_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "main.go") << kProgram;
  }
  void TearDown() override {
    if (!folder_.empty())
      std::filesystem::remove_all(folder_);
  }

  bool Build(const std::string& output, const std::string& flags) {
    return std::system(("cd " + folder_.string() + " && CGO_ENABLED=0 GOTOOLCHAIN=local " + go_ +
                        " build -trimpath " + flags + " -o " + output + " main.go >log 2>&1")
                           .c_str()) == 0;
  }

  std::vector<std::string> Fetch(const std::string& command,
                                 const std::vector<uint64_t>& addresses) {
    std::ofstream out(folder_ / "addresses");
    for (const uint64_t address : addresses)
      out << base::Hex(address) << "\n";
    out.close();
    std::istringstream response(
        OutputOf("cd " + folder_.string() + " && " + command + " < addresses 2>/dev/null"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(response, line);)
      lines.push_back(line);
    return lines;
  }

  void CompareWithAddr2line(const std::string& program, const std::vector<const Range*>& ranges,
                            const std::vector<uint64_t>& addresses) {
    const std::vector<std::string> lines = Fetch(go_ + " tool addr2line " + program, addresses);
    if (lines.empty()) {
      std::cout << "this Go has no addr2line\n";
      return;
    }
    ASSERT_EQ(lines.size(), addresses.size() * 2);
    size_t equal = 0;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Frames& frames = ranges[i]->frames;
      // It prints ":-1" between functions, where we have ":0".
      const std::string line = lines[2 * i + 1] == ":-1" ? ":0" : lines[2 * i + 1];
      equal += frames.back().first == lines[2 * i] && frames.front().second == line ? 1 : 0;
    }
    std::cout << program << ": " << equal << " of " << addresses.size() << " as addr2line says\n";
    EXPECT_GE(equal * 1000, addresses.size() * 999);
  }

  void CompareWithDwarf(const std::string& program, const std::vector<const Range*>& ranges,
                        const std::vector<uint64_t>& addresses) {
    const std::vector<std::string> lines =
        Fetch("llvm-symbolizer --inlines --obj=" + program, addresses);
    if (lines.empty()) {
      std::cout << "llvm-symbolizer is not installed\n";
      return;
    }
    size_t at = 0;
    size_t inlined = 0;
    size_t equal = 0;
    for (size_t i = 0; i < addresses.size(); ++i) {
      Frames expected;
      for (; at + 1 < lines.size() && !lines[at].empty(); at += 2) {
        std::string line = lines[at + 1].substr(0, lines[at + 1].rfind(':'));
        expected.emplace_back(lines[at], line.starts_with("./") ? line.substr(2) : line);
      }
      ++at;
      if (expected.size() < 2)
        continue;
      ++inlined;
      equal += expected == ranges[i]->frames ? 1 : 0;
    }
    std::cout << program << ": " << equal << " of " << inlined << " inlined as DWARF says\n";
    EXPECT_GT(inlined, kAddressCount / 20);
    EXPECT_GE(equal * 100, inlined * 97);
  }

  std::string go_;
  std::filesystem::path folder_;
};

TEST_F(GoPclntabOracle, AgreesOnThousandsOfAddresses) {
  for (const std::string mode : {"exe", "pie"}) {
    if (!Build(mode, "-buildmode=" + mode)) {
      std::cout << "this Go does not build as " << mode << "\n";
      continue;
    }
    const std::vector<Range> ranges = ReadRanges(folder_ / mode);
    ASSERT_GT(ranges.size(), 10'000u);
    std::mt19937_64 random(7);
    std::vector<const Range*> picked;
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < kAddressCount; ++i) {
      const Range& range = ranges[random() % ranges.size()];
      picked.push_back(&range);
      addresses.push_back(range.begin + random() % (range.end - range.begin));
    }
    CompareWithAddr2line(mode, picked, addresses);
    CompareWithDwarf(mode, picked, addresses);

    ASSERT_TRUE(Build(mode + "_stripped", "-buildmode=" + mode + " -ldflags='-s -w'"));
    EXPECT_EQ(ReadRanges(folder_ / (mode + "_stripped")), ranges) << "stripped, " << mode;
  }
}

}  // namespace
}  // namespace flarestack::elf
