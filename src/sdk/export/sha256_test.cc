// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace flarestack::sdk {
namespace {

std::string HashOfFile(const std::string& content) {
  std::string path = "/tmp/flarestack-sdk-XXXXXX";
  const int file = mkstemp(path.data());
  EXPECT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  close(file);
  std::string hash = HtlHashOf(path);
  unlink(path.c_str());
  return hash;
}

TEST(Sha256Test, HashesTheExampleOfTheStandard) {
  const auto hash = Sha256("abc");
  EXPECT_EQ(hash[0], 0xba);
  EXPECT_EQ(hash[1], 0x78);
  EXPECT_EQ(hash[31], 0xad);
}

TEST(Sha256Test, HashesHeadTailAndLengthOfAFile) {
  EXPECT_EQ(HashOfFile("abc"), "a7e79e8a85da69bad5c3fea209342ac9");
  std::string large;
  for (int i = 0; i < 8192; ++i)
    large += static_cast<char>(i % 256);
  EXPECT_EQ(HashOfFile(large), "18db0dcc5a0e6a57e1a1718a5fb2efdc");
}

TEST(Sha256Test, AFileThatCannotBeReadHasNoHash) {
  EXPECT_EQ(HtlHashOf("/does/not/exist"), "");
  EXPECT_EQ(HtlHashOf("/tmp"), "");
}

}  // namespace
}  // namespace flarestack::sdk
