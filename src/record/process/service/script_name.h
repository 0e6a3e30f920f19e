// SPDX-License-Identifier: Apache-2.0
//
// Finds the script that an interpreter runs: "python3 -u /srv/shop/cart.py --port 80" is cart.py,
// and not python3. Recognizes shells, Python, Node.js, Ruby, Perl, PHP and Java by the name of the
// executable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flarestack::record::agent {

// A command line that was taken apart.
struct ScriptCall {
  std::string_view interpreter;           // "python", "node", "java"; empty for other executables
  std::vector<std::string_view> options;  // of the interpreter
  // As written; for Java the jar or the main class, for "python -m" the module. Empty for code
  // given on the command line, and if no script is named.
  std::string_view script;
  std::vector<std::string_view> arguments;  // of the script
};

// `command_line` has the format of /proc/PID/cmdline, with a NUL after each argument. The result
// consists of views of it.
ScriptCall ParseScriptCall(std::string_view executable, std::string_view command_line);

// Returns only the script.
std::string_view ScriptPath(std::string_view executable, std::string_view command_line);

// Returns the name without its folder. The extension stays, so that cart, cart.py and cart.js
// differ, except for that of a jar. Empty for a file descriptor of the process.
std::string ScriptName(std::string_view script_path);

// Returns whether the command line is that of a Python process that the multiprocessing module
// started: a part of the program that started it, for as long as it lives.
bool IsMultiprocessingChild(std::string_view command_line);

// Returns whether the executable is a shell, by its name.
bool IsShell(std::string_view executable);

}  // namespace flarestack::record::agent
