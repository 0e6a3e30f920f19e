// SPDX-License-Identifier: Apache-2.0
//
// The built pages embedded in the program (cmake/WebUi.cmake). All views are valid for the lifetime
// of the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flarestack::server {

struct UiAsset {
  std::string_view path;  // "/assets/index-Ab12.js"
  std::string_view content_type;
  std::string_view etag;  // with quotes
  std::string_view gzip;  // the content, compressed
  uint64_t plain_bytes = 0;
};

// The template of single-file profiles (server/ui/html_writer.h); not served as a page.
inline constexpr std::string_view kViewerPath = "/viewer.html";

// Empty if the program was built without pages.
std::span<const UiAsset> UiAssets();

}  // namespace flarestack::server
