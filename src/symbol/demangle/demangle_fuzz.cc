// SPDX-License-Identifier: Apache-2.0
//
// Every text has a readable name: bounded, and valid UTF-8 unless it is the text itself. Shortening
// never makes a name longer and never splits a character.
#include <cstdint>

#include "base/check.h"
#include "base/text/encoding.h"
#include "symbol/demangle/bounded_text.h"
#include "symbol/demangle/demangle.h"
#include "symbol/name_style.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace base = flarestack::base;
  namespace symbol = flarestack::symbol;
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  const std::string readable = symbol::Demangle(raw);
  FLARE_CHECK(readable == raw || readable.size() <= symbol::kReadableBytesMax);
  FLARE_CHECK(readable == raw || base::IsValidUtf8(readable), readable);
  for (const auto style : {symbol::NameStyle::kSimple, symbol::NameStyle::kNoTemplates}) {
    const std::string shorter = symbol::ShortenName(readable, style);
    FLARE_CHECK(shorter.size() <= readable.size(), readable, " -> ", shorter);
    FLARE_CHECK(!base::IsValidUtf8(readable) || base::IsValidUtf8(shorter), readable, " -> ",
                shorter);
    static_cast<void>(symbol::ShortenName(raw, style));
  }
  return 0;
}
