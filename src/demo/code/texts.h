// SPDX-License-Identifier: Apache-2.0
//
// The stacks of the shop as text, one file per service. demo/code/code_tree.h explains the format.
#pragma once

#include <span>
#include <string_view>

#include "demo/code/shop_code.h"

namespace flarestack::demo {

struct CodeText {
  Code code;
  std::string_view type;  // default frame type
  std::string_view text;
};

struct PiecesText {
  std::string_view type;
  std::string_view text;
};

struct ServiceCode {
  PiecesText pieces;
  std::span<const CodeText> texts;
};

std::span<const PiecesText> SharedPieces();  // for all services

ServiceCode StorefrontCode();
ServiceCode CheckoutCode();
ServiceCode InventoryCode();
ServiceCode PaymentsCode();
ServiceCode RecommendationsCode();

}  // namespace flarestack::demo
