// SPDX-License-Identifier: Apache-2.0
//
// The program text of the shop: what each kind of work looks like to a profiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demo/code/code_tree.h"

namespace flarestack::demo {

enum class Code : uint8_t {
  // storefront, JavaScript in Node.js
  kRoutePage,
  kRenderPage,
  kEncodeOrder,
  kStorefrontBackground,
  kStorefrontAwait,
  kStorefrontQueued,
  kStorefrontHeap,
  // checkout, C++
  kServeOrder,
  kReadBasket,
  kCompareCoupons,
  kSearchCoupons,  // what version 1.4.2 added
  kPriceOrder,
  kCheckoutBackground,
  kAwaitInventory,
  kAwaitPayments,
  kCheckoutQueued,
  kCheckoutHeap,
  // inventory, Java
  kReserveStock,
  kReadStock,
  kInventoryBackground,
  kAwaitDatabase,
  kInventoryQueued,
  kInventoryHeap,
  kInventoryCache,  // what grows
  // payments, Go
  kCharge,
  kPaymentsBackground,
  kAwaitBank,
  kAwaitLedger,  // a lock that one request holds while others wait
  kPaymentsQueued,
  kPaymentsHeap,
  // recommendations, Python
  kRankItems,
  kRecommendationsBackground,
  kRecommendationsQueued,
  kRecommendationsHeap,
};

inline constexpr size_t kCodeCount = static_cast<size_t>(Code::kRecommendationsHeap) + 1;

// Parsed at the first call and kept: two calls return the same object.
const CodeTree& TreeOf(Code code);

// Why a thread does not run, as the recorder says it in `off_cpu.state`; empty for what runs.
std::string_view WaitStateOf(Code code);

}  // namespace flarestack::demo
