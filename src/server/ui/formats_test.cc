// SPDX-License-Identifier: Apache-2.0
#include "server/ui/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/registry.h"
#include "server/ui/html_writer.h"

namespace flarestack::server {
namespace {

TEST(FormatsTest, ConsistOfTheCodecsAndHtml) {
  EXPECT_EQ(Writers().size(), codec::Writers().size() + 1);
  EXPECT_EQ(Writers().back(), &kHtmlWriter);
  EXPECT_THAT(WriterNames(), ::testing::StartsWith("otlp, "));
  EXPECT_THAT(WriterNames(), ::testing::EndsWith(", html"));
}

TEST(FormatsTest, AreFoundByNameAndByFileName) {
  EXPECT_EQ(FindWriter("html"), &kHtmlWriter);
  EXPECT_EQ(FindWriter("pprof"), codec::FindWriter("pprof"));
  EXPECT_EQ(FindWriter("htm"), nullptr);
  EXPECT_EQ(FindWriterForPath("a/heap.html"), &kHtmlWriter);
  EXPECT_EQ(FindWriterForPath("heap.html.gz"), &kHtmlWriter);
  EXPECT_EQ(FindWriterForPath("heap.html.pb.gz"), codec::FindWriter("pprof"));
  EXPECT_EQ(FindWriterForPath(".html"), nullptr);
  EXPECT_EQ(FindWriterForPath("html"), nullptr);
}

}  // namespace
}  // namespace flarestack::server
