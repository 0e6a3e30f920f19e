// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kUrl[] = "http://127.0.0.1:4040/explore?v=1&f=only:a%20b;c";

TEST(BrowserCommandsTest, OpensNothingWithoutADisplayOrBrowser) {
  EXPECT_THAT(BrowserCommands({}, kUrl), IsEmpty());
  EXPECT_THAT(BrowserCommands({.browser = ":: :"}, kUrl), IsEmpty());
}

TEST(BrowserCommandsTest, DisplayIsEnoughForTheDesktopBrowser) {
  EXPECT_THAT(BrowserCommands({.display = ":0"}, kUrl), ElementsAre(ElementsAre("xdg-open", kUrl)));
  EXPECT_THAT(BrowserCommands({.wayland_display = "wayland-0"}, kUrl),
              ElementsAre(ElementsAre("xdg-open", kUrl)));
}

TEST(BrowserCommandsTest, VariableIsAListOfCommands) {
  EXPECT_THAT(BrowserCommands({.browser = "firefox --new-tab:lynx", .display = ":0"}, kUrl),
              ElementsAre(ElementsAre("firefox", "--new-tab", kUrl), ElementsAre("lynx", kUrl)));
}

TEST(BrowserCommandsTest, UrlReplacesThePlaceholder) {
  EXPECT_THAT(BrowserCommands({.browser = "chromium --app=%s --incognito"}, kUrl),
              ElementsAre(ElementsAre("chromium", std::string("--app=") + kUrl, "--incognito")));
}

}  // namespace
}  // namespace flarestack::cli
