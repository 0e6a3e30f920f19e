// SPDX-License-Identifier: Apache-2.0
//
// The source files of the shop, one list per service.
#pragma once

#include <span>
#include <string_view>

namespace flarestack::demo {

struct SourceFile {
  std::string_view path;  // as frames name it
  std::string_view text;
};

std::span<const SourceFile> StorefrontSources();
std::span<const SourceFile> CheckoutSources();
std::span<const SourceFile> InventorySources();
std::span<const SourceFile> PaymentsSources();
std::span<const SourceFile> RecommendationsSources();

}  // namespace flarestack::demo
