// SPDX-License-Identifier: Apache-2.0
#include "source/source_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace flarestack::source {
namespace {

namespace fs = std::filesystem;

class SourceFoldersTest : public ::testing::Test {
 protected:
  SourceFoldersTest() {
    std::string path = fs::temp_directory_path() / "sources-XXXXXX";
    if (mkdtemp(path.data()) != nullptr)
      root_ = fs::canonical(path);
  }
  ~SourceFoldersTest() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void Write(const std::string& name) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << "text\n";
  }
  // Returns the path relative to root_, or "-" if the file is not found.
  std::string Find(std::string_view path, bool is_own_user = false) const {
    const SourceFolders folders(
        {.folders = {(root_ / "shop").string()}, .is_own_user = is_own_user});
    const std::string found = folders.Find(path);
    return found.empty() ? "-" : fs::path(found).lexically_relative(root_).string();
  }

  fs::path root_;
};

TEST_F(SourceFoldersTest, LongestMatchingPathSuffixWins) {
  Write("shop/src/cart.cc");
  Write("shop/cart.cc");
  EXPECT_EQ(Find("/build/1/src/cart.cc"), "shop/src/cart.cc");
  EXPECT_EQ(Find("/build/1/lib/cart.cc"), "shop/cart.cc");
  EXPECT_EQ(Find("cart.cc"), "shop/cart.cc");
  EXPECT_EQ(Find("/build/1/src/../src/./cart.cc"), "shop/src/cart.cc");
  EXPECT_EQ(Find("/build/other.cc"), "-");
  EXPECT_EQ(Find(""), "-");
}

TEST_F(SourceFoldersTest, ServerShowsOnlySourceCodeInItsFolders) {
  Write("shop/config.yaml");
  Write("shop/.git/hook.py");
  Write("shop/.secret.py");
  Write("outside.py");
  fs::create_symlink(root_ / "outside.py", root_ / "shop/link.py");
  fs::create_symlink("config.yaml", root_ / "shop/alias.py");
  EXPECT_EQ(Find("shop/config.yaml"), "-");
  EXPECT_EQ(Find(".git/hook.py"), "-");
  EXPECT_EQ(Find(".secret.py"), "-");
  EXPECT_EQ(Find((root_ / "outside.py").string()), "-");
  EXPECT_EQ(Find("../outside.py"), "-");
  EXPECT_EQ(Find("a/../../outside.py"), "-");
  EXPECT_EQ(Find("link.py"), "-");
  EXPECT_EQ(Find("alias.py"), "-");
  EXPECT_EQ(Find(std::string_view("cart.cc\0.py", 11)), "-");
  Write("shop/plain.py");
  EXPECT_EQ(Find("plain.py"), "shop/plain.py");
}

TEST_F(SourceFoldersTest, CommandReadsAnyFileItsUserMayRead) {
  Write("outside.py");
  Write("shop/Makefile");
  EXPECT_EQ(Find((root_ / "outside.py").string(), true), "outside.py");
  EXPECT_EQ(Find("/build/Makefile", true), "shop/Makefile");
  EXPECT_EQ(Find("/build/src", true), "-");
  EXPECT_EQ(Find("/dev/zero", true), "-") << "a profile must not make us read a device";
}

TEST(SourceNameTest, RecognisesLanguageExtensions) {
  for (const char* name : {"a.cc", "x/b.PY", "c.S", "d.go", "e.rs", "f.java", "g.tsx"})
    EXPECT_TRUE(IsSourceName(name)) << name;
  for (const char* name :
       {"a", ".py", "x/.cc", "a.key", "b.pem", "c.env", "d.yaml", "py", "a.cc/b"})
    EXPECT_FALSE(IsSourceName(name)) << name;
}

}  // namespace
}  // namespace flarestack::source
