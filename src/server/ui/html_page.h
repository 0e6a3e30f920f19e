// SPDX-License-Identifier: Apache-2.0
//
// A profile as one HTML file that needs no server (docs/formats/html.md): the viewer built in ui/,
// with flame graphs inserted at its marker. They are compressed and base64-encoded, so names in a
// profile are never parsed as markup.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "query/flame/flame.h"

namespace flarestack::server {

struct HtmlPage {
  std::string_view title;  // of the window and the heading; may be empty
  std::span<const query::Flame> flames;
};

// `viewer` is the text of the built viewer.html. Returns kInternal if it lacks the title or the
// marker.
absl::Status WriteHtmlPage(std::string_view viewer, const HtmlPage& page, codec::WriteBytes write);

}  // namespace flarestack::server
