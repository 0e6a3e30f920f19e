// SPDX-License-Identifier: Apache-2.0
//
// Memory for large tables. The kernel allocates memory page by page on first touch, and for a table
// of a hundred megabytes that takes as long as filling it. With 2 MiB pages, if the kernel grants
// them on request, the cost is negligible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace flarestack::base {

// A hint. Does nothing for tables that cover fewer than two whole 2 MiB pages.
void PreferHugePages(const void* data, size_t size_bytes);

// Reserves room for `count` elements in total. Untouched memory costs nothing, so a generous count
// is fine. Existing elements are moved at most as often as with the vector's normal growth.
template <typename T>
void ReserveLarge(size_t count, std::vector<T>* table) {
  if (count <= table->capacity())
    return;
  table->reserve(std::max(count, table->capacity() * 2));
  PreferHugePages(table->data(), table->capacity() * sizeof(T));
}

}  // namespace flarestack::base
