// SPDX-License-Identifier: Apache-2.0
//
// Symbolizes the locations of a batch: those with only an address get their functions, files, lines
// and inlined calls from symbol tables.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "model/batch.h"
#include "symbol/module.h"
#include "symbol/name_cache.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::symbol {

struct NamingResult {
  uint64_t named = 0;    // locations that now have names
  uint64_t unnamed = 0;  // locations with an address and a module, but still without names
};

// Returns the table of a module, or null. Called once for each mapping that has an unnamed
// location.
using TableOf = absl::FunctionRef<std::shared_ptr<const SymbolTable>(const Module&)>;

// True if the symbolizer should name the location: it has an address of native code in a module,
// and no line. Frames of interpreters come with their names.
bool IsNameless(const model::Dictionary& dictionary, const model::Location& location);

// The batch must not be shared. Existing names of a location are kept.
NamingResult NameLocations(TableOf table_of, NameCache* names, model::Batch* batch);

}  // namespace flarestack::symbol
