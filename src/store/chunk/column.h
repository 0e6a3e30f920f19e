// SPDX-License-Identifier: Apache-2.0
//
// A list of numbers as bytes (docs/formats/chunk.md). Short lists are varints. In long ones the
// magnitude of each number is a symbol, and the symbols of all are compressed together: some
// magnitudes are far more frequent than others, and each list has its own. What is below a number's
// two highest bits is as good as random, and follows as bits.
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

// The same for a column that nobody wants to know. What is below the magnitudes is not looked at.
bool SkipColumn(base::ByteReader& in, size_t count);

// Whether the column that is next tells nothing of how many numbers it has.
bool IsAllZero(const base::ByteReader& in);

}  // namespace flarestack::store
