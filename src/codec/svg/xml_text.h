// SPDX-License-Identifier: Apache-2.0
//
// Text that is safe inside an XML document, whatever it holds.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::codec::svg {

// Appends `text` for use between tags or in a quoted attribute. The five markup characters become
// references; bytes that are no UTF-8 and the control characters that XML 1.0 forbids become
// U+FFFD; a line break becomes a space.
void AppendXmlText(std::string_view text, std::string* out);

std::string XmlText(std::string_view text);

// The beginning of `text` that fits into `columns` of a fixed-width font, with "…" where something
// was cut off; empty when less than four columns are left. Wide (East Asian) characters take two.
// `text` must be UTF-8.
std::string FitText(std::string_view text, size_t columns);

}  // namespace flarestack::codec::svg
