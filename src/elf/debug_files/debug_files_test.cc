// SPDX-License-Identifier: Apache-2.0
//
// Files as packagers make them, derived from this test program with objcopy: stripped, with its
// debug information in a separate file, and compressed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file/file.h"
#include "elf/build_id.h"
#include "elf/debug_files/debug_link.h"
#include "elf/elf_symbols.h"
#include "elf/frames/eh_frame.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kBytesMax = uint64_t{1} << 32;

class DebugFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::OutputOf("objcopy --version").empty())
      GTEST_SKIP() << "objcopy is not installed";
    std::string pattern = std::filesystem::temp_directory_path() / "debug_files_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    own_path_ = std::filesystem::read_symlink("/proc/self/exe").string();
  }

  void TearDown() override {
    if (!directory_.empty())
      std::filesystem::remove_all(directory_);
  }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }

  // Returns an empty string if this objcopy does not support the options.
  std::string Objcopy(const std::string& options, const std::string& from,
                      const std::string& name) const {
    testing::OutputOf("objcopy " + options + " " + from + " " + Path(name));
    auto bytes = base::ReadFile(Path(name), kBytesMax);
    return bytes.ok() ? *std::move(bytes) : std::string();
  }

  std::string directory_;
  std::string own_path_;
};

TEST_F(DebugFiles, StrippedAndDebugFileTogetherMatchTheWholeFile) {
  const std::string own_bytes = testing::OwnProgramBytes();
  const std::string debug_bytes = Objcopy("--only-keep-debug", own_path_, "program.debug");
  const std::string stripped_bytes =
      Objcopy("--strip-all --add-gnu-debuglink=" + Path("program.debug"), own_path_, "program");
  ASSERT_FALSE(debug_bytes.empty() || stripped_bytes.empty());
  const auto own = ElfFile::Parse(own_bytes);
  const auto debug = ElfFile::Parse(debug_bytes);
  const auto stripped = ElfFile::Parse(stripped_bytes);
  ASSERT_TRUE(own.ok() && debug.ok() && stripped.ok());
  EXPECT_EQ(GnuBuildId(*debug), GnuBuildId(*own));
  EXPECT_EQ(GnuBuildId(*stripped), GnuBuildId(*own));

  const auto link = ReadDebugLink(*stripped);
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->file_name, "program.debug");
  EXPECT_TRUE(IsLinked(*link, debug_bytes));
  EXPECT_FALSE(IsLinked(*link, own_bytes));
  EXPECT_EQ(ReadDebugLink(*own).status().code(), absl::StatusCode::kNotFound);

  EXPECT_EQ(stripped->FindSection(".symtab"), nullptr);
  const auto symbols = ReadFunctionSymbols(*own);
  const auto debug_symbols = ReadFunctionSymbols(*debug);
  ASSERT_TRUE(symbols.ok() && debug_symbols.ok());
  EXPECT_GT(symbols->size(), 1000u);
  // The debug file has no bytes for .dynsym, but .symtab repeats its few symbols.
  EXPECT_EQ(*debug_symbols, *symbols);

  const auto bounds = ReadFunctionBounds(*EhFrame::Of(*own));
  const auto stripped_bounds = ReadFunctionBounds(*EhFrame::Of(*stripped));
  ASSERT_TRUE(bounds.ok() && stripped_bounds.ok());
  EXPECT_EQ(stripped_bounds->size(), bounds->size());
  EXPECT_EQ(EhFrame::Of(*debug).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DebugFiles, CompressedSectionsHaveTheSameContents) {
  // Only one section, because objcopy takes half a minute for all of them.
  const std::string lines_bytes = Objcopy("--only-section=.debug_line", own_path_, "lines");
  const auto lines_file = ElfFile::Parse(lines_bytes);
  ASSERT_TRUE(lines_file.ok()) << lines_file.status();
  const Section* lines = lines_file->FindSection(".debug_line");
  if (lines == nullptr)
    GTEST_SKIP() << "built without debug information";
  const auto expected = lines_file->Contents(*lines, kBytesMax);
  ASSERT_TRUE(expected.ok());
  for (const std::string method : {"zlib", "zlib-gnu", "zstd"}) {
    const std::string bytes = Objcopy("--compress-debug-sections=" + method, Path("lines"), method);
    const auto file = ElfFile::Parse(bytes);
    if (!file.ok())
      continue;  // this objcopy does not support the method
    const Section* section = file->FindSection(".debug_line");
    ASSERT_NE(section, nullptr) << method;
    const auto contents = file->Contents(*section, kBytesMax);
    ASSERT_TRUE(contents.ok()) << method << ": " << contents.status();
    EXPECT_TRUE(contents->view() == expected->view()) << method;
    EXPECT_TRUE(contents->is_owned()) << method;
  }
}

}  // namespace
}  // namespace flarestack::elf
