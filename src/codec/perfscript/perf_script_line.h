// SPDX-License-Identifier: Apache-2.0
//
// The lines of `perf script` text, apart from what they mean together. perf prints what the user
// asked for with -F, so each part of a line may be missing; what is what is told by shape and
// place.
//
//   comm  1234/1240 [003]  1240.193496:     250000 cpu-clock:         header
//           ffffffff821caab7 exc_page_fault+0xd7 ([kernel.kallsyms])  frame: a TAB, the address
//           right-aligned
//     dl-misc.c:39                                                    source line of the frame
//     before it
//
// All views point into the line given.
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
  std::string_view event;  // without the colon behind it; empty when not printed
  std::string_view rest;   // behind the event: the fields of a tracepoint, or a frame
};

// Nothing when the line is no header: a time or an event makes one. A line that begins with blanks
// must show more to be one, as frames do so too.
std::optional<Header> ParseHeader(std::string_view line);

struct FrameLine {
  std::optional<uint64_t> address;
  std::string_view symbol;  // without its offset; empty for [unknown]
  std::string_view dso;     // empty for [unknown]
  bool is_inlined = false;
};

// Nothing when there is neither an address nor a symbol.
std::optional<FrameLine> ParseFrame(std::string_view line);

// The frame that perf puts on the header line of samples without a call graph. It needs an address
// and a symbol, in perf's columns, because the text of a tracepoint can stand in the same place.
std::optional<FrameLine> ParseHeaderFrame(std::string_view rest);

struct SourceLine {
  std::string_view file;  // empty when perf did not know it
  int64_t line = 0;
  bool is_inlined = false;  // with +srcline the mark stands here and not on the frame
};

// Nothing when the line is no source line.
std::optional<SourceLine> ParseSourceLine(std::string_view line);

}  // namespace flarestack::codec::perfscript
