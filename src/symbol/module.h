// SPDX-License-Identifier: Apache-2.0
//
// A program or library as identified in profiles, and the key under which its symbols are stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct Module {
  std::vector<FileId> ids;  // best first: GNU, Go, htlhash
  std::string path;         // as seen by its process, or a bare name

  // Safe in a path or URL, and the same for the same file. GNU build ids are used unchanged, as in
  // debuginfod; others get a prefix. Empty if the module has no id.
  std::string Key() const;
};

std::string KeyOf(const FileId& id);

// Builds a module from the attributes of a mapping.
Module ModuleOf(const model::Dictionary& dictionary, const model::Mapping& mapping);

}  // namespace flarestack::symbol
