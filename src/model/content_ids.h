// SPDX-License-Identifier: Apache-2.0
//
// The name of a thing by its content: a 128-bit XXH3 hash of length-prefixed canonical fields. The
// same stack has the same id on every host, for ever, whatever index it had in the message that
// brought it. The byte order of the hash input is fixed (little endian), and the fields hashed here
// must never change: ids are stored.
#pragma once

#include <vector>

#include "base/hash.h"
#include "model/dictionary.h"

namespace flarestack::model {

using ContentId = base::Hash128;

// The ids of every entry of a dictionary whose indices have been checked. Entry 0 has the all-zero
// id, and so has an entry with nothing in it wherever it stands.
struct ContentIds {
  std::vector<ContentId> attributes;
  std::vector<ContentId> mappings;
  std::vector<ContentId> functions;
  std::vector<ContentId> locations;
  std::vector<ContentId> stacks;
};

ContentId StringId(std::string_view text);
ContentIds ComputeContentIds(const Dictionary& dictionary);

// Adds the ids of the entries that the dictionary has got since `ids` was made.
void ExtendContentIds(const Dictionary& dictionary, ContentIds* ids);

}  // namespace flarestack::model
