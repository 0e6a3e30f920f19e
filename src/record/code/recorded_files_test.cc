// SPDX-License-Identifier: Apache-2.0
#include "record/code/recorded_files.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/file.h"

namespace flarestack::record::agent {
namespace {

using namespace std::chrono_literals;

constexpr RecordedFiles::Time kBegin{1h};

symbol::Module ModuleWithId(const std::string& id) {
  return {.ids = {{.kind = symbol::IdKind::kGnu, .text = id}}, .path = "/gone"};
}

RecordedFile InMemory(const std::string& id, std::string_view text) {
  auto file = std::make_shared<base::Descriptor>(memfd_create("recorded", MFD_CLOEXEC));
  EXPECT_EQ(write(file->get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return {.key = ModuleWithId(id).Key(), .file = std::move(file)};
}

std::string TextOf(RecordedFiles* files, const std::string& id) {
  const auto found = files->Find(ModuleWithId(id));
  return found.ok() ? base::ReadFile(found->executable, 100).value_or("cannot be read") : "none";
}

TEST(RecordedFilesTest, FindsAFileByItsModule) {
  RecordedFiles files;
  EXPECT_EQ(TextOf(&files, "aa"), "none");
  files.Update({InMemory("aa", "one"), InMemory("bb", "two")}, kBegin);
  EXPECT_EQ(TextOf(&files, "aa"), "one");
  EXPECT_EQ(TextOf(&files, "bb"), "two");
}

// Independent of the window length: a table may be built long after its program has ended.
TEST(RecordedFilesTest, KeepsUnreportedFilesForAWhile) {
  RecordedFiles files;
  files.Update({InMemory("aa", "one")}, kBegin);
  for (int i = 1; i <= 100; ++i)
    files.Update({InMemory("bb", "two")}, kBegin + i * 100ms);
  EXPECT_EQ(TextOf(&files, "aa"), "one");
  files.Update({}, kBegin + 2min);
  EXPECT_EQ(TextOf(&files, "aa"), "none");
  EXPECT_EQ(TextOf(&files, "bb"), "two");
}

TEST(RecordedFilesTest, FoundFileStaysOpen) {
  RecordedFiles files;
  files.Update({InMemory("aa", "one")}, kBegin);
  const auto found = files.Find(ModuleWithId("aa"));
  ASSERT_TRUE(found.ok());
  files.Update({}, kBegin + 1h);
  EXPECT_EQ(TextOf(&files, "aa"), "none");
  EXPECT_EQ(base::ReadFile(found->executable, 100).value_or(""), "one");
}

}  // namespace
}  // namespace flarestack::record::agent
