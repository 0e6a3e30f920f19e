// SPDX-License-Identifier: Apache-2.0
//
// Users type selectors and links contain them. Any text is either rejected or keeps its meaning
// when it is written and parsed again.
#include <string_view>

#include "base/check.h"
#include "store/matcher.h"

namespace store = flarestack::store;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto matchers = store::ParseSelector(text);
  if (!matchers.ok())
    return 0;
  const std::string written = store::SelectorText(*matchers);
  const auto again = store::ParseSelector(written);
  FLARE_CHECK(again.ok(), written);
  FLARE_CHECK(store::SelectorText(*again) == written, written);
  return 0;
}
