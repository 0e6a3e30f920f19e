// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/symbol_oracle.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf::testing {
namespace {

std::vector<std::string> AnswerLines(const std::string& command,
                                     const std::vector<uint64_t>& addresses) {
  const WorkFolder folder;
  std::string input;
  for (const uint64_t address : addresses)
    base::StrAppend(&input, base::Hex(address), "\n");
  std::istringstream response(
      OutputOf(base::StrCat(command, " < '", folder.Write("addresses", input), "'")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(response, line);)
    lines.push_back(line);
  return lines;
}

uint32_t NumberIn(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Parses "file:line:column" or "file:line".
void SetPlace(std::string_view text, OracleFrame* frame) {
  std::vector<std::string_view> numbers;
  while (numbers.size() < 2) {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos ||
        text.substr(colon + 1).find_first_not_of("0123456789") != std::string_view::npos)
      break;
    numbers.insert(numbers.begin(), text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  if (!numbers.empty())
    frame->line = NumberIn(numbers[0]);
  frame->file = text == "??" ? "" : std::string(text);
}

std::string FunctionIn(std::string_view text) {
  text = text.substr(0, text.find(" inlined at "));
  return text == "??" ? "" : std::string(text);
}

std::string Demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

// Copies made by the optimizer have a suffix in the symbol table: "walk.isra.0", "walk.cold".
std::string WithoutMarks(const std::string& name) {
  size_t end = name.size();
  for (const char* mark : {".cold", ".isra.", ".constprop.", ".part.", ".lto_priv.", ".llvm."})
    end = std::min(end, name.find(mark));
  return name.substr(0, end);
}

bool SameName(const std::string& marked_a, const std::string& marked_b) {
  if (marked_a == marked_b)
    return true;
  const std::string a = WithoutMarks(marked_a);
  const std::string b = WithoutMarks(marked_b);
  const bool is_plain_a = !a.starts_with("_Z");
  const bool is_plain_b = !b.starts_with("_Z");
  const std::string full_a = Demangled(a);
  const std::string full_b = Demangled(b);
  if (is_plain_a == is_plain_b)
    return full_a == full_b;
  const std::string& plain = is_plain_a ? full_a : full_b;
  const std::string& full = is_plain_a ? full_b : full_a;
  const std::string stem = plain.substr(0, plain.find('<'));
  return !stem.empty() && full.find(stem) != std::string::npos;
}

}  // namespace

std::optional<std::vector<OracleChain>> AskLlvmSymbolizer(const std::string& path,
                                                          const std::vector<uint64_t>& addresses) {
  std::string program;
  for (const char* name : {"llvm-symbolizer", "llvm-symbolizer-14"}) {
    if (program.empty() && HasProgram(name))
      program = name;
  }
  if (program.empty())
    return std::nullopt;
  std::vector<OracleChain> chains(1);
  const std::vector<std::string> lines = AnswerLines(
      base::StrCat(program, " --inlines --no-demangle --functions=linkage --obj='", path, "'"),
      addresses);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) {
      chains.emplace_back();
    } else if (i + 1 < lines.size()) {
      OracleFrame& frame = chains.back().emplace_back();
      frame.function = FunctionIn(lines[i]);
      SetPlace(lines[++i], &frame);
    }
  }
  chains.pop_back();
  if (chains.size() != addresses.size())
    return std::nullopt;
  return chains;
}

std::optional<std::vector<OracleChain>> AskEuAddr2line(const std::string& path,
                                                       const std::vector<uint64_t>& addresses) {
  if (!HasProgram("eu-addr2line"))
    return std::nullopt;
  std::vector<OracleChain> chains;
  const std::vector<std::string> lines =
      AnswerLines(base::StrCat("eu-addr2line -a -i -f -e '", path, "'"), addresses);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("0x")) {
      chains.emplace_back();
    } else if (!chains.empty() && i + 1 < lines.size()) {
      OracleFrame& frame = chains.back().emplace_back();
      frame.function = FunctionIn(lines[i]);
      SetPlace(lines[++i], &frame);
    }
  }
  if (chains.size() != addresses.size())
    return std::nullopt;
  return chains;
}

OracleChain ChainOf(std::span<const SourceFrame> frames) {
  OracleChain chain;
  for (const SourceFrame& frame : frames)
    chain.push_back({std::string(frame.function), std::string(frame.file), frame.line});
  return chain;
}

bool SameChain(const OracleChain& a, const OracleChain& b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].line != b[i].line || a[i].file != b[i].file || !SameName(a[i].function, b[i].function))
      return false;
  }
  return true;
}

std::string ToText(const OracleChain& chain) {
  std::string text;
  for (const OracleFrame& frame : chain)
    base::StrAppend(&text, "  ", frame.function, " ", frame.file, ":", frame.line, "\n");
  return text;
}

}  // namespace flarestack::elf::testing
