// SPDX-License-Identifier: Apache-2.0
//
// The dictionary of an answer, kept for the next question about the same series: its stacks are the
// same but for a few, and what was loaded before need not be loaded again.
#pragma once

#include <cstdint>

#include "base/arena.h"
#include "model/dictionary.h"
#include "model/dictionary_builder.h"
#include "store/number_table.h"

namespace flarestack::store::rocks {

// Where entries of the stored dictionary stand in one of an answer.
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

// What a LoadedDictionary of this content takes.
uint64_t LoadedBytes(const model::Dictionary& dictionary, const KnownNumbers& known);

}  // namespace flarestack::store::rocks
