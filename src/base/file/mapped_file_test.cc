// SPDX-License-Identifier: Apache-2.0
#include "base/file/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text/text.h"

namespace flarestack::base {
namespace {

TEST(MappedFileTest, HoldsTheContentOfTheFileAfterAMove) {
  const std::string path =
      (std::filesystem::temp_directory_path() / StrCat("mapped_file_test_", getpid())).string();
  std::ofstream(path) << "some bytes";
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const char* data = file->bytes().data();
  const MappedFile moved = *std::move(file);
  EXPECT_EQ(moved.bytes(), "some bytes");
  EXPECT_EQ(moved.bytes().data(), data);
  std::ofstream{path};
  EXPECT_EQ(MappedFile::Open(path)->bytes(), "");
  std::filesystem::remove(path);
}

TEST(MappedFileTest, FailsIfThereIsNoRegularFile) {
  EXPECT_EQ(MappedFile::Open("/nowhere/at/all").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MappedFile::Open("/").status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace flarestack::base
