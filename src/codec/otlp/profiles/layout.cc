// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/layout.h"

namespace flarestack::codec::otlp {

std::string_view LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kUpTo15:
      return "1.5 or older";
    case Layout::k16:
      return "1.6";
    case Layout::k17:
      return "1.7";
    case Layout::k18:
      return "1.8";
    case Layout::k19:
      return "1.9";
    case Layout::k110:
      return "1.10 or later";
  }
  return "unknown";
}

}  // namespace flarestack::codec::otlp
