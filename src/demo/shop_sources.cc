// SPDX-License-Identifier: Apache-2.0
#include "demo/shop_sources.h"

#include "demo/source/files.h"

namespace flarestack::demo {

std::optional<std::string_view> SourceText(std::string_view path) {
  for (const auto list : {StorefrontSources(), CheckoutSources(), InventorySources(),
                          PaymentsSources(), RecommendationsSources()}) {
    for (const SourceFile& file : list) {
      if (file.path == path)
        return file.text;
    }
  }
  return std::nullopt;
}

}  // namespace flarestack::demo
