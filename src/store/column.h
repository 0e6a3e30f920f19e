// SPDX-License-Identifier: Apache-2.0
//
// A list of numbers as bytes (docs/formats/chunk.md). Short lists are varints. Long ones are laid
// out in planes, first the lowest byte of all numbers, then the next, and each plane is compressed
// for itself: what bytes of one kind tell about each other would be lost among others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_io.h"

namespace flarestack::store {

void AppendColumn(std::span<const uint64_t> numbers, std::string* out);

// False when the bytes are none that AppendColumn gives for so many numbers. Room is made once the
// bytes look as if they were, unless the column is all zero, which takes no bytes: see IsAllZero.
bool ReadColumn(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers);

// Whether the column that is next tells nothing of how many numbers it has.
bool IsAllZero(const base::ByteReader& in);

}  // namespace flarestack::store
