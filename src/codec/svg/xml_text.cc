// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/xml_text.h"

#include <cstdint>

#include "base/text/encoding.h"

namespace flarestack::codec::svg {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr size_t kColumnsMin = 4;

size_t Utf8Length(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// From U+1100 on, most characters of three and four bytes are wide, except the punctuation before
// U+3000.
size_t ColumnsOf(std::string_view character) {
  if (character.size() < 3) {
    return 1;
  }
  const bool is_narrow = character.starts_with("\xE1\x9A") || character.starts_with("\xE2");
  return is_narrow ? 1 : 2;
}

}  // namespace

void AppendXmlText(std::string_view text, std::string* out) {
  if (!base::IsValidUtf8(text)) {
    AppendXmlText(base::ToValidUtf8(text), out);
    return;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        out->append("&amp;");
        break;
      case '<':
        out->append("&lt;");
        break;
      case '>':
        out->append("&gt;");
        break;
      case '"':
        out->append("&quot;");
        break;
      case '\'':
        out->append("&#39;");
        break;
      case '\t':
      case '\n':
      case '\r':
        out->push_back(' ');
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
          out->append(kReplacement);
        } else if (text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF") {
          out->append(kReplacement);  // U+FFFE and U+FFFF are not XML characters
          i += 2;
        } else {
          out->push_back(c);
        }
    }
  }
}

std::string XmlText(std::string_view text) {
  std::string out;
  AppendXmlText(text, &out);
  return out;
}

std::string FitText(std::string_view text, size_t columns) {
  if (columns < kColumnsMin) {
    return {};
  }
  size_t used = 0;
  size_t cut = 0;  // bytes that fit together with the ellipsis
  for (size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, Utf8Length(text[at]));
    used += ColumnsOf(character);
    if (used > columns) {
      return std::string(text.substr(0, cut)).append("…");
    }
    at += character.size();
    if (used + 1 <= columns) {
      cut = at;
    }
  }
  return std::string(text);
}

}  // namespace flarestack::codec::svg
