// SPDX-License-Identifier: Apache-2.0
#include "record/agent/recorded_files.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

namespace flarestack::record::agent {
namespace {

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

TEST(RecordedFilesTest, AFileIsFoundByItsModule) {
  RecordedFiles files;
  EXPECT_EQ(TextOf(&files, "aa"), "none");
  files.Tell({InMemory("aa", "one"), InMemory("bb", "two")});
  EXPECT_EQ(TextOf(&files, "aa"), "one");
  EXPECT_EQ(TextOf(&files, "bb"), "two");
}

TEST(RecordedFilesTest, WhatIsNoLongerToldStaysForAWhile) {
  RecordedFiles files;
  files.Tell({InMemory("aa", "one")});
  files.Tell({InMemory("bb", "two")});
  EXPECT_EQ(TextOf(&files, "aa"), "one");
  for (int i = 0; i < 100; ++i)
    files.Tell({});
  EXPECT_EQ(TextOf(&files, "aa"), "none");
}

TEST(RecordedFilesTest, WhoHasFoundAFileKeepsItOpen) {
  RecordedFiles files;
  files.Tell({InMemory("aa", "one")});
  const auto found = files.Find(ModuleWithId("aa"));
  ASSERT_TRUE(found.ok());
  for (int i = 0; i < 100; ++i)
    files.Tell({});
  EXPECT_EQ(base::ReadFile(found->executable, 100).value_or(""), "one");
}

}  // namespace
}  // namespace flarestack::record::agent
