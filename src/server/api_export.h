// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/export?format=folded&q={service.name="cart"}&type=cpu&from=now-1h&to=now
//
// Merges the stored profiles of a range and gives them back in any format that can be written.
#pragma once

#include <cstdint>
#include <functional>

#include "base/byte_budget.h"
#include "net/http_message.h"
#include "store/store.h"

namespace flarestack::server {

// The answer takes its memory from the budget that requests share.
net::HttpResponse ExportProfiles(store::Store* store, base::ByteBudget* budget,
                                 const net::HttpRequest& request, uint64_t now_nanos);

}  // namespace flarestack::server
