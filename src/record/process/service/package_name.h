// SPDX-License-Identifier: Apache-2.0
//
// The name of a Node.js package, from its package.json. The file belongs to another process.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

// Returns "name" of the top-level object; empty if it is missing, or not valid JSON.
std::string PackageName(std::string_view package_json);

}  // namespace flarestack::record::agent
