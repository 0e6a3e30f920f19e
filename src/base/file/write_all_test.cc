// SPDX-License-Identifier: Apache-2.0
#include "base/file/write_all.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/file/descriptor.h"

namespace flarestack::base {
namespace {

// A pipe holds less than this, so that write() returns after a part.
TEST(WriteAllTest, ContinuesAfterAPartialWrite) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const std::string sent(1 << 20, 'x');
  std::string received;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t got = 1; got > 0;) {
      got = read(from.get(), buffer, sizeof(buffer));
      received.append(buffer, got > 0 ? static_cast<size_t>(got) : 0);
    }
  });
  EXPECT_TRUE(WriteAll(to.get(), sent).ok());
  to.Close();
  reader.join();
  EXPECT_EQ(received.size(), sent.size());
}

TEST(WriteAllTest, ReportsAFullDisk) {
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.is_open());
  EXPECT_EQ(WriteAll(full.get(), "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(WriteAll(full.get(), "").ok());
}

}  // namespace
}  // namespace flarestack::base
