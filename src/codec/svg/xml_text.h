// SPDX-License-Identifier: Apache-2.0
//
// Makes any text safe inside an XML document.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::codec::svg {

// Appends `text` for use between tags or in a quoted attribute. The five markup characters become
// references; invalid UTF-8 and the control characters that XML 1.0 forbids become U+FFFD; a line
// break becomes a space.
void AppendXmlText(std::string_view text, std::string* out);

std::string XmlText(std::string_view text);

// The beginning of `text` that fits into `columns` of a fixed-width font, with "…" if it was
// truncated; empty if fewer than four columns are available. Wide (East Asian) characters take two
// columns. `text` must be UTF-8.
std::string FitText(std::string_view text, size_t columns);

}  // namespace flarestack::codec::svg
