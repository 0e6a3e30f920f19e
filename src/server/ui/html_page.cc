// SPDX-License-Identifier: Apache-2.0
#include "server/ui/html_page.h"

#include <string>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "query/flame/flame_container.h"

namespace flarestack::server {
namespace {

constexpr std::string_view kTitle = "<title>Profile</title>";
constexpr std::string_view kMarker = "<!-- flarestack:profile -->";

// Escapes text for element content and quoted attributes.
std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : base::ToValidUtf8(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string Block(const query::Flame& flame) {
  return base::StrCat("<script type=\"", query::kFlameMediaType, "\" data-sample-type=\"",
                      HtmlText(base::StrCat(flame.type, ":", flame.unit)), "\">",
                      base::Base64Encode(base::Gzip(query::EncodeFlame(flame))), "</script>\n");
}

}  // namespace

absl::Status WriteHtmlPage(std::string_view viewer, const HtmlPage& page, codec::WriteBytes write) {
  const size_t title_at = viewer.find(kTitle);
  // Use the last match: the page's script contains the marker too.
  const size_t marker_at = viewer.rfind(kMarker);
  if (title_at == std::string_view::npos || marker_at == std::string_view::npos ||
      marker_at < title_at)
    return absl::InternalError("the embedded viewer is corrupt; rebuild the program");
  FLARE_RETURN_IF_ERROR(write(viewer.substr(0, title_at)));
  FLARE_RETURN_IF_ERROR(write(page.title.empty()
                                  ? std::string(kTitle)
                                  : base::StrCat("<title>", HtmlText(page.title), "</title>")));
  const size_t after_title = title_at + kTitle.size();
  FLARE_RETURN_IF_ERROR(write(viewer.substr(after_title, marker_at - after_title)));
  for (const query::Flame& flame : page.flames)
    FLARE_RETURN_IF_ERROR(write(Block(flame)));
  return write(viewer.substr(marker_at + kMarker.size()));
}

}  // namespace flarestack::server
