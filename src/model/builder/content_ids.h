// SPDX-License-Identifier: Apache-2.0
//
// Identifies an entry by its content: a 128-bit XXH3 hash of length-prefixed canonical fields. The
// same stack has the same id on every host, forever, regardless of its index in the message. The
// byte order of the hash input is fixed (little endian), and the hashed fields must never change,
// because ids are stored.
#pragma once

#include <vector>

#include "base/hash.h"
#include "model/dictionary.h"

namespace flarestack::model {

using ContentId = base::Hash128;

// The ids of all entries of a dictionary whose indices have been checked. Entry 0 has the all-zero
// id, and so does any other empty entry.
struct ContentIds {
  std::vector<ContentId> attributes;
  std::vector<ContentId> mappings;
  std::vector<ContentId> functions;
  std::vector<ContentId> locations;
  std::vector<ContentId> stacks;
};

ContentId StringId(std::string_view text);
ContentIds ComputeContentIds(const Dictionary& dictionary);

// Appends the ids of the entries added to the dictionary since `ids` was computed.
void ExtendContentIds(const Dictionary& dictionary, ContentIds* ids);

}  // namespace flarestack::model
