// SPDX-License-Identifier: Apache-2.0
#include "symbol/testing/table_text.h"

#include <sstream>
#include <vector>

#include "base/check.h"
#include "base/text/text.h"

namespace flarestack::symbol::testing {
namespace {

struct OwnedFrame {
  std::string function;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

OwnedFrame FrameOf(const std::string& function, const std::string& place) {
  OwnedFrame frame = {.function = function == "?" ? "" : function};
  std::istringstream in(place);
  std::getline(in, frame.file, ':');
  char colon = 0;
  in >> frame.line >> colon >> frame.column;
  if (frame.file == "?")
    frame.file.clear();
  return frame;
}

}  // namespace

void AddText(std::string_view ranges, Quality quality, TableWriter* writer) {
  std::istringstream lines{std::string(ranges)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    elf::CodeRange range;
    if (!(words >> std::hex >> range.begin >> range.end))
      continue;
    std::vector<OwnedFrame> owned;
    std::string function;
    std::string place;
    for (std::string separator; words >> function >> place; words >> separator)
      owned.push_back(FrameOf(function, place));
    std::vector<elf::SourceFrame> frames;
    for (const OwnedFrame& frame : owned) {
      frames.push_back({.function = frame.function,
                        .file = frame.file,
                        .line = frame.line,
                        .column = frame.column});
    }
    range.frames = frames;
    const absl::Status status = writer->Add(range, quality);
    FLARE_CHECK(status.ok(), status.ToString());
  }
}

std::string FrameText(std::span<const elf::SourceFrame> frames) {
  std::string text;
  for (const elf::SourceFrame& frame : frames) {
    base::StrAppend(&text, text.empty() ? "" : " < ", frame.function.empty() ? "?" : frame.function,
                    " ", frame.file.empty() ? "?" : frame.file, ":", frame.line);
    if (frame.column != 0)
      base::StrAppend(&text, ":", frame.column);
  }
  return text;
}

std::string TableText(const SymbolTable& table) {
  std::string text;
  table.VisitAll([&text](const CodeAt& code) {
    text += fmt::format("{:x} {:x} {} {}\n", code.begin(), code.end(), QualityName(code.quality()),
                        FrameText(code.frames()));
  });
  return text;
}

}  // namespace flarestack::symbol::testing
