// SPDX-License-Identifier: Apache-2.0
#include "demo/code/shop_code.h"

#include <array>

#include "base/check.h"
#include "demo/code/texts.h"

namespace flarestack::demo {
namespace {

using Trees = std::array<CodeTree, kCodeCount>;

Trees ReadAll() {
  CodePieces shared;
  for (const PiecesText& pieces : SharedPieces())
    AddPieces(pieces.text, pieces.type, &shared);
  Trees trees;
  for (const ServiceCode& service :
       {StorefrontCode(), CheckoutCode(), InventoryCode(), PaymentsCode(), RecommendationsCode()}) {
    CodePieces pieces = shared;
    AddPieces(service.pieces.text, service.pieces.type, &pieces);
    for (const CodeText& entry : service.texts)
      trees[static_cast<size_t>(entry.code)] = ParseCodeTree(entry.text, entry.type, pieces);
  }
  for (const CodeTree& tree : trees)
    FLARE_CHECK(tree.weight > 0);  // fails for a code without a text
  return trees;
}

}  // namespace

const CodeTree& TreeOf(Code code) {
  static const Trees* const trees = new Trees(ReadAll());
  return (*trees)[static_cast<size_t>(code)];
}

std::string_view WaitStateOf(Code code) {
  switch (code) {
    case Code::kStorefrontAwait:
    case Code::kAwaitInventory:
    case Code::kAwaitPayments:
    case Code::kAwaitDatabase:
    case Code::kAwaitBank:
      return "sleep";
    case Code::kAwaitLedger:
      return "lock";
    case Code::kStorefrontQueued:
    case Code::kCheckoutQueued:
    case Code::kInventoryQueued:
    case Code::kPaymentsQueued:
    case Code::kRecommendationsQueued:
      return "run_queue";
    default:
      return "";
  }
}

}  // namespace flarestack::demo
