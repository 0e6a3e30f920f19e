// SPDX-License-Identifier: Apache-2.0
//
// What an interpreter runs: "python3 -u /srv/shop/cart.py --port 80" is cart.py, and not python3.
// Knows shells, Python, Node.js, Ruby, Perl, PHP and Java, by the name of the executable.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

// `command_line` is as in /proc/PID/cmdline, each word with a NUL behind it. The script as it
// stands there; of Java the jar or the main class, of "python -m" the module. Empty for other
// executables, for code given on the command line, and where nothing is named.
std::string_view ScriptPath(std::string_view executable, std::string_view command_line);

// Without its folder. The ending stays, so that cart, cart.py and cart.js are three; that of a jar
// goes. Empty for a descriptor of the process.
std::string ScriptName(std::string_view script_path);

// Whether the executable is a shell, by its name.
bool IsShell(std::string_view executable);

}  // namespace flarestack::record::agent
