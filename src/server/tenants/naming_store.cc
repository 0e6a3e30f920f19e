// SPDX-License-Identifier: Apache-2.0
#include "server/tenants/naming_store.h"

#include <utility>

#include "base/status.h"
#include "symbol/batch_names.h"

namespace flarestack::server {

absl::StatusOr<store::AppendedProfiles> NamingStore::AppendProfiles(const model::Batch& batch) {
  FLARE_ASSIGN(store::AppendedProfiles appended, inner_->AppendProfiles(batch));
  const model::Dictionary& dictionary = batch.dictionary;
  std::vector<bool> is_wanted(dictionary.mappings.size(), false);
  for (const model::Location& location : dictionary.locations) {
    if (is_wanted[location.mapping.value] || !symbol::IsNameless(dictionary, location))
      continue;
    is_wanted[location.mapping.value] = true;
    symbolizer_.Want(symbol::ModuleOf(dictionary, dictionary.mappings[location.mapping.value]));
  }
  return appended;
}

absl::StatusOr<model::Batch> NamingStore::SelectProfiles(const store::ProfileQuery& query) {
  FLARE_ASSIGN(model::Batch batch, inner_->SelectProfiles(query));
  const auto table_of = [&](const symbol::Module& module) {
    auto table = symbolizer_.Ready(module.Key());
    if (table == nullptr)
      symbolizer_.Want(module);
    return table;
  };
  symbol::NameLocations(table_of, &names_, &batch);
  return batch;
}

}  // namespace flarestack::server
