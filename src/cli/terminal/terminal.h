// SPDX-License-Identifier: Apache-2.0
//
// What standard output is, and how text gets there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flarestack::cli {

// Colours on a terminal, unless NO_COLOR is set; elsewhere only when CLICOLOR_FORCE asks for them.
bool UseColour();

// Of the terminal, or of COLUMNS; 0 where lines may be of any length, because nobody looks.
size_t TerminalWidth();

// Prints it; through $PAGER when that is set and the text is longer than the terminal.
void Show(std::string_view text);

// The text in bold, or dim, when colours are used.
std::string Bold(std::string_view text);
std::string Dim(std::string_view text);

// Bytes from outside must not reach the terminal as control sequences: those are written as \xNN.
std::string Printable(std::string_view text);

// Code points of the text.
size_t Columns(std::string_view text);

// At most `width` columns of the text, with an ellipsis where something is missing. 0 is no limit.
// Counts code points, which is right for all names but those of wide scripts.
std::string Fit(std::string_view text, size_t width);

// The same for the name of a function: where it does not fit, arguments go first, then those of
// templates. The end of a long C++ name says more than its arguments do.
std::string FitName(std::string_view name, size_t width);

}  // namespace flarestack::cli
