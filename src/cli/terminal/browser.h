// SPDX-License-Identifier: Apache-2.0
//
// An address shown in the browser of whoever sits at this terminal.
//
// $BROWSER as other programs have it: commands with colons between, tried in turn; "%s" in one
// stands for the address, which else is its last word. Without it xdg-open, where there is a
// display.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace flarestack::cli {

// What the environment says about browsers; empty for what is not set.
struct BrowserSettings {
  std::string browser;          // $BROWSER
  std::string display;          // $DISPLAY
  std::string wayland_display;  // $WAYLAND_DISPLAY

  static BrowserSettings OfThisProcess();
};

// The commands to try, in their order, each as its words. None where nothing could be seen.
std::vector<std::vector<std::string>> BrowserCommands(const BrowserSettings& settings,
                                                      const std::string& url);

// Starts a browser and does not wait for it. kNotFound when there is none to start, which is no
// fault: print the address then.
absl::Status OpenBrowser(const std::string& url);

}  // namespace flarestack::cli
