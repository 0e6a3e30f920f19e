// SPDX-License-Identifier: Apache-2.0
//
// The built pages that are embedded in the program (cmake/WebUi.cmake). All views live as long as
// the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flarestack::server {

struct UiAsset {
  std::string_view path;  // "/assets/index-Ab12.js"
  std::string_view content_type;
  std::string_view etag;  // with its quotes
  std::string_view gzip;  // the content, compressed
  uint64_t plain_bytes = 0;
};

// What one-file profiles are made of (server/ui/html_writer.h); no page of the server.
inline constexpr std::string_view kViewerPath = "/viewer.html";

// Empty in a program that was built without pages.
std::span<const UiAsset> UiAssets();

}  // namespace flarestack::server
