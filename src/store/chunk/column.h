// SPDX-License-Identifier: Apache-2.0
//
// A list of numbers as bytes (docs/formats/chunk.md). Short lists are varints. In long lists the
// magnitude of each number is a symbol, and all symbols are compressed together: some magnitudes
// are far more frequent than others, and the distribution differs from list to list. The bits below
// a number's two highest are practically random, and follow uncompressed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_reader.h"

namespace flarestack::store {

void AppendColumn(std::span<const uint64_t> numbers, std::string* out);

// Returns false if the bytes are not a valid column of `count` numbers. Allocates memory only after
// the size of the bytes is plausible, except for an all-zero column, which takes no bytes: see
// IsAllZero.
bool ReadColumn(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers);

// Skips a column. Does not check the bits below the magnitudes.
bool SkipColumn(base::ByteReader& in, size_t count);

// Whether the next column is all zero, so that its bytes do not prove how many numbers it has.
bool IsAllZero(const base::ByteReader& in);

}  // namespace flarestack::store
