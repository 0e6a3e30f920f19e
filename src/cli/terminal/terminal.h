// SPDX-License-Identifier: Apache-2.0
//
// Properties of standard output, and text output to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flarestack::cli {

// True on a terminal unless NO_COLOR is set; elsewhere only with CLICOLOR_FORCE.
bool UseColour();

// $COLUMNS, or the width of the terminal; 0: no limit, because output does not go to a terminal.
size_t TerminalWidth();

// Prints the text, through $PAGER if it is set and the text is longer than the terminal.
void Show(std::string_view text);

// Bold or dim text if colours are on.
std::string Bold(std::string_view text);
std::string Dim(std::string_view text);

// Escapes control characters as \xNN, so that untrusted text cannot control the terminal.
std::string Printable(std::string_view text);

// Number of code points.
size_t Columns(std::string_view text);

// At most `width` columns of the text, with an ellipsis if it was cut; 0: no limit. Counts code
// points, which is correct except for wide scripts.
std::string Fit(std::string_view text, size_t width);

// The same for a function name: drops arguments first, then template arguments. The end of a long
// C++ name says more than its arguments.
std::string FitName(std::string_view name, size_t width);

}  // namespace flarestack::cli
