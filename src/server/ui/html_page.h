// SPDX-License-Identifier: Apache-2.0
//
// A profile as one HTML file that needs no server (docs/formats/html.md): the viewer that is built
// in ui/, with flame graphs put in where its marker stands. They are compressed and written as
// base64, so that no name of a profile is ever read as markup.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "query/flame/flame.h"

namespace flarestack::server {

struct HtmlPage {
  std::string_view title;  // of the window and the page; may be empty
  std::span<const query::Flame> flames;
};

// `viewer` is the text of the built viewer.html. kInternal when it is not.
absl::Status WriteHtmlPage(std::string_view viewer, const HtmlPage& page, codec::WriteBytes write);

}  // namespace flarestack::server
