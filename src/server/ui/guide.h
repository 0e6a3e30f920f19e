// SPDX-License-Identifier: Apache-2.0
//
// A tour through the data of a server, for first-time users of the UI. Each step is a URL of the UI
// with its state; the UI only shows the steps.
#pragma once

#include <string>
#include <vector>

namespace flarestack::server {

struct GuideStep {
  std::string title;
  std::string text;
  std::string path;  // a UI page with its query; empty: none, as in the last step
};

struct Guide {
  std::string title;
  std::vector<GuideStep> steps;
};

}  // namespace flarestack::server
