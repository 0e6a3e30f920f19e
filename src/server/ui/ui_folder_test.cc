// SPDX-License-Identifier: Apache-2.0
#include "server/ui/ui_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/compress/compress.h"
#include "base/status.h"

namespace flarestack::server {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class UiFolderTest : public ::testing::Test {
 protected:
  UiFolderTest() {
    std::string name = ::testing::TempDir() + "ui_folder_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~UiFolderTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  std::string folder_;
};

TEST_F(UiFolderTest, ContainsEachFileOnceWithItsType) {
  Write("index.html", "<html>");
  Write("index.html.gz", "compressed, and not needed");
  Write("assets/a-1.js", "console.log(1)");
  const auto pages = UiFolder::Read(folder_);
  ASSERT_TRUE(pages.ok()) << pages.status();
  std::vector<std::string> found;
  for (const UiAsset& asset : pages->assets()) {
    found.push_back(std::string(asset.path) + " " + std::string(asset.content_type) + " " +
                    *base::Gunzip(asset.gzip, asset.plain_bytes));
  }
  EXPECT_THAT(found, UnorderedElementsAre("/index.html text/html; charset=utf-8 <html>",
                                          "/assets/a-1.js text/javascript; charset=utf-8 "
                                          "console.log(1)"));
  EXPECT_NE(pages->assets()[0].etag, pages->assets()[1].etag);
}

TEST_F(UiFolderTest, ReportsWhatIsWrongWithAFolder) {
  const auto message = [](const std::string& folder) {
    return std::string(base::Message(UiFolder::Read(folder).status()));
  };
  EXPECT_THAT(message(folder_), HasSubstr("no index.html; create it with npm run build"));
  EXPECT_THAT(message(folder_ + "/none"), HasSubstr("No such file"));
  Write("index.html", "<html>");
  Write("notes.xyz", "?");
  EXPECT_THAT(message(folder_), HasSubstr("no content type is known for .xyz"));
}

}  // namespace
}  // namespace flarestack::server
