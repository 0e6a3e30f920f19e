// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace flarestack::record::agent {
namespace {

using std::chrono::seconds;

constexpr KernelNames::Time kBegin{};

class KernelNamesTest : public ::testing::Test {
 protected:
  KernelNamesTest() : dir_(MakeDir()), names_(dir_.string(), dir_.string()) {}
  ~KernelNamesTest() override { std::filesystem::remove_all(dir_); }

  static std::filesystem::path MakeDir() {
    std::string name = ::testing::TempDir() + "kernel_names_XXXXXX";
    return mkdtemp(name.data());
  }

  void WriteKallsyms(const std::string& text) { std::ofstream(dir_ / "kallsyms") << text; }

  std::string NameAt(uint64_t address, KernelNames::Time now = kBegin) {
    const auto found = names_.Find(address, now);
    return found.has_value() ? std::string(found->name) : "";
  }

  const std::filesystem::path dir_;
  KernelNames names_;
};

TEST_F(KernelNamesTest, ReadsTheNamesOnce) {
  WriteKallsyms("ffffffff81001000 T schedule\nffffffff81002000 T futex_wait\n");
  EXPECT_EQ(NameAt(0xffffffff81001004), "schedule");
  WriteKallsyms("ffffffff81001000 T other\nffffffff81002000 T futex_wait\n");
  EXPECT_EQ(NameAt(0xffffffff81001004), "schedule");
}

TEST_F(KernelNamesTest, LearnsProgramsFromEvents) {
  WriteKallsyms("ffffffff81001000 T schedule\nffffffff81002000 T futex_wait\n");
  EXPECT_EQ(NameAt(0xffffffffc0001010), "");
  names_.Apply(
      {.address = 0xffffffffc0001000, .length = 0x100, .name = "bpf_prog_1_a", .is_added = true});
  EXPECT_EQ(NameAt(0xffffffffc0001010), "bpf_prog_1_a");
  EXPECT_EQ(NameAt(0xffffffffc0001100), "");
  EXPECT_EQ(names_.Find(0xffffffffc0001010, kBegin)->module, "bpf");
}

TEST_F(KernelNamesTest, RemovedProgramKeepsItsNameUntilItsAddressIsReused) {
  WriteKallsyms("ffffffff81001000 T schedule\n");
  names_.Apply(
      {.address = 0xffffffffc0001000, .length = 0x100, .name = "bpf_prog_1_a", .is_added = true});
  names_.Apply(
      {.address = 0xffffffffc0001000, .length = 0x100, .name = "bpf_prog_1_a", .is_added = false});
  EXPECT_EQ(NameAt(0xffffffffc0001010), "bpf_prog_1_a");
  names_.Apply(
      {.address = 0xffffffffc00010f0, .length = 0x100, .name = "bpf_prog_2_b", .is_added = true});
  EXPECT_EQ(NameAt(0xffffffffc0001010), "");
  EXPECT_EQ(NameAt(0xffffffffc00010f8), "bpf_prog_2_b");
}

TEST_F(KernelNamesTest, RereadsNamesForAnUnknownAddressAfterAWhile) {
  WriteKallsyms("ffffffff81001000 T schedule\n");
  EXPECT_EQ(NameAt(0xffffffffc0a01000), "");
  WriteKallsyms("ffffffff81001000 T schedule\nffffffffc0a01000 t nft_do_chain [nf_tables]\n");
  EXPECT_EQ(NameAt(0xffffffffc0a01000, kBegin + seconds(1)), "");
  EXPECT_EQ(NameAt(0xffffffffc0a01000, kBegin + KernelNames::kReadInterval), "nft_do_chain");
}

TEST_F(KernelNamesTest, ReportsWhyThereAreNone) {
  EXPECT_EQ(NameAt(0xffffffff81001004), "");
  EXPECT_FALSE(names_.status().ok());
}

}  // namespace
}  // namespace flarestack::record::agent
