// SPDX-License-Identifier: Apache-2.0
//
// A program or library as profiles name it, and the key under which its symbols are kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct Module {
  std::vector<FileId> ids;  // the best first: GNU, Go, htlhash
  std::string path;         // as its process saw it, or a bare name

  // Safe in a path or URL, and the same for the same file: GNU build ids stand as they are, which
  // is how debuginfod knows them; others have a prefix. Empty when the module has no id.
  std::string Key() const;
};

std::string KeyOf(const FileId& id);

// What the attributes of a mapping say.
Module ModuleOf(const model::Dictionary& dictionary, const model::Mapping& mapping);

}  // namespace flarestack::symbol
