// SPDX-License-Identifier: Apache-2.0
//
// Compares our results for real names with c++filt. Without its verbose mode, c++filt omits Rust's
// hashes and the types of constants. Intended differences: we drop clone suffixes, c++filt writes
// `[clone .cold]`; we leave a few C++ names unchanged that might grow too large, and those that the
// C++ library is too old to parse (mostly expressions in return types) but this c++filt is not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "symbol/demangle/cpp_demangle.h"
#include "symbol/demangle/demangle.h"
#include "symbol/name_style.h"

namespace flarestack::symbol {
namespace {

bool Has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::vector<std::string> LinesOf(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string WithoutBrackets(std::string name) {
  std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
  return name;
}

class DemangleOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Has("nm") || !Has("c++filt"))
      GTEST_SKIP() << "nm or c++filt is not installed";
    std::string name =
        (std::filesystem::temp_directory_path() / "flarestack_names_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty())
      std::filesystem::remove_all(folder_);
  }

  // Compares the symbols that `nm` prints for `what`. Returns how many there were.
  size_t Compare(const std::string& what, const std::string& pattern) {
    const std::string names = (folder_ / "names").string();
    const std::string readable = (folder_ / "readable").string();
    const std::string command = "nm " + what + " 2>/dev/null | sed 's/.* //; s/@.*//' | grep -E '" +
                                pattern + "' | sort -u > " + names + "; c++filt -i < " + names +
                                " > " + readable;
    if (std::system(command.c_str()) != 0)
      return 0;
    const std::vector<std::string> raw = LinesOf(names);
    const std::vector<std::string> expected = LinesOf(readable);
    EXPECT_EQ(raw.size(), expected.size());
    size_t too_large = 0;
    size_t unread = 0;
    for (size_t i = 0; i < std::min(raw.size(), expected.size()); ++i) {
      const std::string ours = Demangle(raw[i]);
      unread += ours == raw[i] && expected[i] != raw[i] ? 1 : 0;
      too_large += CppExpansionBound(raw[i]) > kCppExpandedBytesMax ? 1 : 0;
      // c++filt does not decode non-ASCII letters in Rust's legacy names, and its version differs
      // from that of libstdc++: one of them puts the callee of a call in an expression in brackets.
      if (ours != raw[i] && expected[i].find("$u") == std::string::npos) {
        EXPECT_EQ(WithoutBrackets(ours),
                  WithoutBrackets(expected[i].substr(0, expected[i].find(" [clone "))))
            << raw[i];
      }
      EXPECT_LE(ShortenName(ours, NameStyle::kSimple).size(), ours.size());
    }
    std::cout << what << ": " << raw.size() << " names, " << unread << " left alone, of which "
              << too_large << " as too large\n";
    EXPECT_LE(too_large * 25, raw.size());  // Boost.Asio, which is in this program, is the worst
    EXPECT_LE(unread * 20, raw.size());
    return raw.size();
  }

  std::filesystem::path folder_;
};

TEST_F(DemangleOracle, AgreesOnThisProgram) {
  EXPECT_GT(Compare("/proc/" + std::to_string(getpid()) + "/exe", "^_Z"), 100u);
}

TEST_F(DemangleOracle, AgreesOnTheCppLibrary) {
  const std::string library = "$(g++ -print-file-name=libstdc++.so)";
  if (!Has("g++"))
    GTEST_SKIP() << "g++ is not installed";
  EXPECT_GT(Compare("-D " + library, "^_Z"), 1000u);
}

constexpr std::string_view kRustProgram = R"(
use std::collections::{BTreeMap, HashMap};
struct Größe<const N: usize, const C: char, const B: bool, const I: i32>;
trait Shape { fn area(&self) -> f64; }
impl<const N: usize, const C: char, const B: bool, const I: i32> Shape for Größe<N, C, B, I> {
  #[inline(never)] fn area(&self) -> f64 { N as f64 }
}
impl Shape for [u8; 4] { #[inline(never)] fn area(&self) -> f64 { 2.0 } }
#[inline(never)] fn each(it: &mut dyn Iterator<Item = u32>) -> u32 { it.map(|x| x + 1).sum() }
fn main() {
  let v: Vec<Box<dyn Shape>> = vec![Box::new(Größe::<3, 'x', true, -5>), Box::new([1u8; 4])];
  let mut m: HashMap<String, BTreeMap<u64, Option<(i32,)>>> = HashMap::new();
  m.entry("a".into()).or_default().insert(1, Some((1,)));
  println!("{} {:?} {}", v.iter().map(|s| s.area()).sum::<f64>(), m, each(&mut (0..5u32)));
}
)";

TEST_F(DemangleOracle, AgreesOnRust) {
  if (!Has("rustc"))
    GTEST_SKIP() << "rustc is not installed";
  std::ofstream(folder_ / "p.rs") << kRustProgram;
  for (const std::string scheme : {"v0", "legacy"}) {
    // The legacy scheme needs the unstable options in newer compilers, and some are built without
    // them.
    const std::string program = (folder_ / scheme).string();
    const std::string command = "cd " + folder_.string() +
                                " && RUSTC_BOOTSTRAP=1 rustc -Zunstable-options "
                                "-Csymbol-mangling-version=" +
                                scheme + " p.rs -o " + program + " >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
      std::cout << "rustc does not make names of the scheme " << scheme << "\n";
      continue;
    }
    Compare(program, "^_R|^_ZN.*17h[0-9a-f]{16}E");
  }
}

TEST_F(DemangleOracle, AgreesOnD) {
  std::ofstream(folder_ / "names") << R"(_Dmain
_D8demangle4testFZv
_D8demangle4testFaZv
_D8demangle4testFHiAaG4hPvZv
_D8demangle4testFJiKkLlMPvZv
_D8demangle4testFiYv
_D8demangle4testFiXv
_D8demangle4testFPFZvDFNaNbZiZv
_D8demangle4testFPUiZvZv
_D8demangle4testFNgiNhG4fZv
_D8demangle4testFxiyaOPvZv
_D8demangle4testFC3foo3BarS3foo3BazE3foo4EnumZv
_D8demangle3Foo4testMxFZv
_D8demangle3Foo4testMOxFZv
_D8demangle3Foo6__ctorMFiZC8demangle3Foo
_D8demangle3Foo6__dtorMFZv
_D8demangle3Foo6__initZ
_D8demangle3Foo6__vtblZ
_D8demangle3Foo7__ClassZ
_D8demangle3Foo11__InterfaceZ
_D8demangle12__ModuleInfoZ
_D8demangle__T4testTiZv
_D8demangle13__T4testTiVi5Zv
_D8demangle__T4testVAyaa3_616263Zv
_D8demangle__T4testVbi1Va97VlN7Vmi3Zv
_D8demangle__T4testVde0A8P6Zv
_D8demangle__T4testS8demangle3FooZv
_D8demangle__T4testTiZ__T5innerTaZQfFZv
_D8demangle4testFAyaQdZv
_D8demangle3fooFiZ3barFZv
)";
  const std::string names = (folder_ / "names").string();
  const std::string readable = (folder_ / "readable").string();
  if (std::system(("c++filt -s dlang < " + names + " > " + readable).c_str()) != 0)
    GTEST_SKIP() << "this c++filt does not support D";
  const std::vector<std::string> raw = LinesOf(names);
  const std::vector<std::string> expected = LinesOf(readable);
  ASSERT_EQ(raw.size(), expected.size());
  for (size_t i = 0; i < raw.size(); ++i)
    EXPECT_EQ(Demangle(raw[i]), expected[i]) << raw[i];
}

}  // namespace
}  // namespace flarestack::symbol
