// SPDX-License-Identifier: Apache-2.0
//
// A tour through the data of a server, for who sees the pages for the first time. Each step is a
// page of the server with its state; the pages only show it.
#pragma once

#include <string>
#include <vector>

namespace flarestack::server {

struct GuideStep {
  std::string title;
  std::string text;
  std::string path;  // of a page, with its query; empty: none, as at the end
};

struct Guide {
  std::string title;
  std::vector<GuideStep> steps;
};

}  // namespace flarestack::server
