// SPDX-License-Identifier: Apache-2.0
//
// Names of programs that say nothing: half of the services of the world are called app, main or
// server. The folder they are in distinguishes them.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

// Whether a file is called as many others are: app, main.py, server.js, gunicorn, 1.24.3.
bool IsGenericName(std::string_view name);

// "shop/main" of /srv/shop/bin/main: the name behind the nearest folder that says something, else
// behind the nearest one. `path` is absolute.
std::string QualifiedName(std::string_view path);

}  // namespace flarestack::record::agent
