// SPDX-License-Identifier: Apache-2.0
//
// Room for large tables. The kernel hands memory out page by page when it is first touched, and for
// a table of a hundred megabytes that takes as long as filling it. With pages of 2 MiB, where the
// kernel gives them on request, it takes next to nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace flarestack::base {

// A hint. Does nothing for less than some megabytes.
void PreferHugePages(const void* data, size_t size_bytes);

// Room for so many elements in all. Memory that is not touched costs nothing, so a generous number
// is fine; what is there already is moved at most as often as when it grows by itself.
template <typename T>
void ReserveLarge(size_t count, std::vector<T>* table) {
  if (count <= table->capacity())
    return;
  table->reserve(std::max(count, table->capacity() * 2));
  PreferHugePages(table->data(), table->capacity() * sizeof(T));
}

}  // namespace flarestack::base
