// SPDX-License-Identifier: Apache-2.0
//
// The program text of the shop: how each kind of work looks to a profiler.
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
  kSearchCoupons,  // added in version 1.4.2
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
  kInventoryCache,  // the part that grows
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

// Parses at the first call and caches the result: two calls return the same object.
const CodeTree& TreeOf(Code code);

// Why a thread is off-CPU, as the recorder reports it in `off_cpu.state`; empty for running code.
std::string_view WaitStateOf(Code code);

}  // namespace flarestack::demo
