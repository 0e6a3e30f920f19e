// SPDX-License-Identifier: Apache-2.0
//
// Parses the lines of `perf script` text, independent of their context. perf prints the fields that
// the user selected with -F, so each part of a line may be missing; parts are identified by shape
// and position.
//
//   header: comm  1234/1240 [003]  1240.193496:     250000 cpu-clock:
//   frame:          ffffffff821caab7 exc_page_fault+0xd7 ([kernel.kallsyms])
//   source:   dl-misc.c:39
//
// A frame begins with a TAB and a right-aligned address. A source line belongs to the frame before
// it.
//
// All views point into the given line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::codec::perfscript {

struct Header {
  std::string_view comm;
  std::optional<int64_t> pid;
  std::optional<int64_t> tid;
  std::optional<int64_t> cpu;
  std::optional<uint64_t> time_ns;
  std::optional<int64_t> period;
  std::string_view event;  // without the colon after it; empty if not printed
  std::string_view rest;   // after the event: the fields of a tracepoint, or a frame
};

// Returns nullopt if the line is not a header, which has a time or an event. An indented line needs
// more evidence, because frames are indented too.
std::optional<Header> ParseHeader(std::string_view line);

struct FrameLine {
  std::optional<uint64_t> address;
  std::string_view symbol;  // without its offset; empty for [unknown]
  std::string_view dso;     // empty for [unknown]
  bool is_inlined = false;
};

// Returns nullopt if there is neither an address nor a symbol.
std::optional<FrameLine> ParseFrame(std::string_view line);

// Parses the frame that perf prints on the header line of samples without a call graph. It needs an
// address and a symbol in perf's columns, because the text of a tracepoint can be in the same
// place.
std::optional<FrameLine> ParseHeaderFrame(std::string_view rest);

struct SourceLine {
  std::string_view file;  // empty if perf did not know it
  int64_t line = 0;
  bool is_inlined = false;  // with +srcline the mark is here and not on the frame
};

// Returns nullopt if the line is not a source line.
std::optional<SourceLine> ParseSourceLine(std::string_view line);

}  // namespace flarestack::codec::perfscript
