// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;

// Has `functions` functions, so that it takes some space.
std::string TableOf(std::string_view name, uint64_t functions = 1) {
  TableWriter writer;
  for (uint64_t i = 0; i < functions; ++i) {
    const std::string function = base::StrCat(name, i);
    const elf::SourceFrame frame = {.function = function};
    EXPECT_TRUE(
        writer.Add({.begin = i * 16, .end = i * 16 + 16, .frames = {&frame, 1}}, Quality::kSymtab)
            .ok());
  }
  return *writer.Finish();
}

std::string NameIn(const std::shared_ptr<const SymbolTable>& table) {
  CodeAt code;
  return table != nullptr && table->Find(0, &code) ? std::string(code.frames()[0].function) : "";
}

class TableCacheTest : public ::testing::Test {
 protected:
  std::string Directory() const { return folder_.Path("tables"); }
  std::string FileOf(const std::string& key) const {
    return base::StrCat(Directory(), "/", key.substr(0, 2), "/", key, ".fsym");
  }

  elf::testing::WorkFolder folder_;
};

TEST_F(TableCacheTest, CachedTablesSurviveTheProcess) {
  ASSERT_TRUE(TableCache({.directory = Directory()}).Add("ab12", TableOf("f")).ok());
  TableCache again({.directory = Directory()});
  EXPECT_TRUE(again.Has("ab12"));
  EXPECT_EQ(NameIn(again.Find("ab12")), "f0");
  EXPECT_EQ(again.Find("ab13"), nullptr);
  EXPECT_FALSE(again.Has("ab13"));
}

TEST_F(TableCacheTest, KeepsKeysThatAreNotFileNamesInMemory) {
  TableCache cache({.directory = Directory()});
  ASSERT_TRUE(cache.Add("../ab12", TableOf("f")).ok());
  EXPECT_EQ(NameIn(cache.Find("../ab12")), "f0");
  EXPECT_FALSE(fs::exists(folder_.Path("ab12.fsym")));
}

TEST_F(TableCacheTest, RemovesADamagedFile) {
  ASSERT_TRUE(TableCache({.directory = Directory()}).Add("ab12", TableOf("f", 100)).ok());
  {
    std::fstream file(FileOf("ab12"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('\x7f');
  }
  TableCache cache({.directory = Directory()});
  EXPECT_EQ(cache.Find("ab12"), nullptr);
  EXPECT_FALSE(fs::exists(FileOf("ab12")));
}

TEST_F(TableCacheTest, KeepsAFileThatCannotBeOpened) {
  fs::create_directories(FileOf("ab12"));  // a directory cannot be mapped
  TableCache cache({.directory = Directory()});
  EXPECT_EQ(cache.Find("ab12"), nullptr);
  EXPECT_TRUE(fs::exists(FileOf("ab12")));
}

TEST_F(TableCacheTest, EvictsTheOldestFilesOverTheDiskLimit) {
  const std::string bytes = TableOf("f", 100);
  TableCache cache({.directory = Directory(), .disk_bytes_max = bytes.size() * 5 / 2});
  for (const char* const key : {"aa", "bb", "cc"}) {
    ASSERT_TRUE(cache.Add(key, bytes).ok());
    fs::last_write_time(FileOf(key), fs::file_time_type(std::chrono::hours(key[0])));
  }
  EXPECT_FALSE(fs::exists(FileOf("aa")));
  EXPECT_TRUE(fs::exists(FileOf("bb")));
  EXPECT_TRUE(fs::exists(FileOf("cc")));
}

TEST_F(TableCacheTest, AliasesUseNoSpace) {
  const std::string bytes = TableOf("f", 100);
  TableCache cache({.directory = Directory(),
                    .disk_bytes_max = bytes.size() * 5 / 2,
                    .open_bytes_max = bytes.size() * 5 / 2});
  ASSERT_TRUE(cache.Add("aa", bytes).ok());
  for (const char* const alias : {"htl-1", "go-2"})
    cache.AddAlias(alias, "aa");
  ASSERT_TRUE(cache.Add("bb", bytes).ok());
  for (const char* const key : {"aa", "htl-1", "go-2", "bb"})
    EXPECT_EQ(NameIn(cache.Find(key)), "f0") << key;
}

TEST_F(TableCacheTest, RemovedTableDoesNotReturn) {
  TableCache cache({.directory = Directory()});
  ASSERT_TRUE(cache.Add("aa", TableOf("f")).ok());
  const auto held = cache.Find("aa");
  cache.Remove("aa");
  EXPECT_EQ(cache.Find("aa"), nullptr);
  EXPECT_EQ(NameIn(held), "f0");  // existing references stay valid
  ASSERT_TRUE(cache.Add("aa", TableOf("g")).ok());
  EXPECT_EQ(NameIn(cache.Find("aa")), "g0");
}

}  // namespace
}  // namespace flarestack::symbol
