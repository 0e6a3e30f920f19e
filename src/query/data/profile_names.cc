// SPDX-License-Identifier: Apache-2.0
#include "query/data/profile_names.h"

#include <vector>

#include "symbol/batch_names.h"

namespace flarestack::query {

void ProfileNames::Prefetch(const model::Batch& batch) const {
  const model::Dictionary& dictionary = batch.dictionary;
  std::vector<bool> is_wanted(dictionary.mappings.size(), false);
  for (const model::Location& location : dictionary.locations) {
    if (is_wanted[location.mapping.value] || !symbol::IsNameless(dictionary, location))
      continue;
    is_wanted[location.mapping.value] = true;
    symbolizer_.Want(symbol::ModuleOf(dictionary, dictionary.mappings[location.mapping.value]));
  }
}

void ProfileNames::AddTo(model::Batch* batch) {
  const auto table_of = [&](const symbol::Module& module) {
    auto table = symbolizer_.Ready(module.Key());
    if (table == nullptr)
      symbolizer_.Want(module);
    return table;
  };
  symbol::NameLocations(table_of, &cache_, batch);
}

}  // namespace flarestack::query
