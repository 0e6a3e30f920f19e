// SPDX-License-Identifier: Apache-2.0
//
// The dictionary of a response, cached for the next query on the same series. Most stacks are the
// same then and need not be loaded again.
#pragma once

#include <cstdint>

#include "base/memory/arena.h"
#include "model/builder/dictionary_builder.h"
#include "model/dictionary.h"
#include "store/number_table.h"

namespace flarestack::store::rocks {

// Maps entries of the stored dictionary to their positions in a response's dictionary.
struct KnownNumbers {
  NumberTable strings;
  NumberTable functions;
  NumberTable mappings;
  NumberTable locations;
  NumberTable attributes;
  NumberTable stacks;

  uint64_t Bytes() const {
    return strings.Bytes() + functions.Bytes() + mappings.Bytes() + locations.Bytes() +
           attributes.Bytes() + stacks.Bytes();
  }
};

struct LoadedDictionary {
  LoadedDictionary() : builder(&dictionary, &arena) {}

  base::Arena arena;
  model::Dictionary dictionary;
  model::DictionaryBuilder builder;
  KnownNumbers known;
};

// Memory used by a LoadedDictionary with this content.
uint64_t LoadedBytes(const model::Dictionary& dictionary, const KnownNumbers& known);

}  // namespace flarestack::store::rocks
