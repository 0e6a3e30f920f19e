// SPDX-License-Identifier: Apache-2.0
//
// Recognizes program names that identify nothing: half of all services are called app, main or
// server. The folder they are in distinguishes them.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

// Returns whether a file name is generic: app, main.py, server.js, gunicorn, 1.24.3.
bool IsGenericName(std::string_view name);

// Returns "shop/main" for /srv/shop/bin/main: the name prefixed with the nearest folder that is not
// generic, or with the nearest folder if all are. `path` is absolute.
std::string QualifiedName(std::string_view path);

}  // namespace flarestack::record::agent
