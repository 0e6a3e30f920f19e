// SPDX-License-Identifier: Apache-2.0
//
// Gives names to what has addresses alone: the locations of a batch get their functions, files,
// lines and inlined calls out of symbol tables.
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
  uint64_t named = 0;    // locations that have names now
  uint64_t unnamed = 0;  // that still have none, though an address and a module
};

// The table of a module, or null. Called once for each mapping that has a location without names.
using TableOf = absl::FunctionRef<std::shared_ptr<const SymbolTable>(const Module&)>;

// Whether names are for the symbolizer to find: there is an address of native code in a module, and
// no line says what it is. Frames of interpreters come with their names.
bool IsNameless(const model::Dictionary& dictionary, const model::Location& location);

// The batch must be the caller's alone. What it says of a location is left as it is.
NamingResult NameLocations(TableOf table_of, NameCache* names, model::Batch* batch);

}  // namespace flarestack::symbol
