// SPDX-License-Identifier: Apache-2.0
//
// Opens a URL in the user's browser.
//
// $BROWSER follows the usual convention: commands separated by colons, tried in turn. "%s" in a
// command is replaced by the URL; without it, the URL is appended. If $BROWSER is not set, uses
// xdg-open if there is a display.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace flarestack::cli {

// Environment variables about browsers; empty if not set.
struct BrowserSettings {
  std::string browser;          // $BROWSER
  std::string display;          // $DISPLAY
  std::string wayland_display;  // $WAYLAND_DISPLAY

  static BrowserSettings OfThisProcess();
};

// The commands to try, in order, each split into words. Empty if there is no display.
std::vector<std::vector<std::string>> BrowserCommands(const BrowserSettings& settings,
                                                      const std::string& url);

// Starts a browser and does not wait for it. Returns kNotFound if there is none to start. That is
// not a fault: print the URL instead.
absl::Status OpenBrowser(const std::string& url);

}  // namespace flarestack::cli
