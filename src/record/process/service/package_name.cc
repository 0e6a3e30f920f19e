// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/package_name.h"

#include "simdjson.h"

namespace flarestack::record::agent {

std::string PackageName(std::string_view package_json) {
  simdjson::dom::parser parser;
  simdjson::dom::element package;
  std::string_view name;
  if (parser.parse(simdjson::padded_string(package_json)).get(package) != simdjson::SUCCESS ||
      package["name"].get(name) != simdjson::SUCCESS)
    return {};
  return std::string(name);
}

}  // namespace flarestack::record::agent
