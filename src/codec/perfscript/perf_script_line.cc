// SPDX-License-Identifier: Apache-2.0
#include "codec/perfscript/perf_script_line.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace flarestack::codec::perfscript {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kInlined = "(inlined)";
constexpr std::string_view kUnknown = "[unknown]";
constexpr size_t kAddressColumns = 16;
// A command name has at most 15 bytes, so the fields after it begin soon; a bound keeps hostile
// lines cheap.
constexpr size_t kHeaderTokensMax = 64;

bool ConsistsOf(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

std::string_view TrimLeft(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::string_view TrimRight(std::string_view text) {
  const size_t last = text.find_last_not_of(kBlanks);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Cuts off and returns the first word; empty at the end of the text.
std::string_view TakeWord(std::string_view* text) {
  *text = TrimLeft(*text);
  const std::string_view word = text->substr(0, text->find_first_of(kBlanks));
  text->remove_prefix(word.size());
  return word;
}

template <typename T>
std::optional<T> ParseNumber(std::string_view digits, int base = 10) {
  T value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || result.ec != std::errc{} || result.ptr != end) {
    return std::nullopt;
  }
  return value;
}

// "[003]"
std::optional<int64_t> ParseCpu(std::string_view word) {
  if (word.size() < 3 || word.front() != '[' || word.back() != ']') {
    return std::nullopt;
  }
  return ParseNumber<int64_t>(word.substr(1, word.size() - 2));
}

// "1240.193496:", with six or nine digits after the point.
std::optional<uint64_t> ParseTime(std::string_view word) {
  const size_t point = word.find('.');
  if (point == std::string_view::npos || word.back() != ':') {
    return std::nullopt;
  }
  const std::string_view fraction = word.substr(point + 1, word.size() - point - 2);
  const std::optional<uint64_t> seconds = ParseNumber<uint64_t>(word.substr(0, point));
  if (!seconds.has_value() || fraction.size() > 9 || !ConsistsOf(fraction, kDigits)) {
    return std::nullopt;
  }
  uint64_t ns = *ParseNumber<uint64_t>(fraction);
  for (size_t i = fraction.size(); i < 9; ++i) {
    ns *= 10;
  }
  uint64_t whole_ns = 0;
  if (__builtin_mul_overflow(*seconds, uint64_t{1'000'000'000}, &whole_ns) ||
      __builtin_add_overflow(whole_ns, ns, &ns)) {
    return std::nullopt;
  }
  return ns;
}

// "1240" is a thread, "1234/1240" a process and its thread. perf prints -1 for an unknown task.
bool ParseTask(std::string_view word, Header* header) {
  const size_t slash = word.find('/');
  const std::optional<int64_t> tid =
      ParseNumber<int64_t>(slash == std::string_view::npos ? word : word.substr(slash + 1));
  if (!tid.has_value()) {
    return false;
  }
  if (slash != std::string_view::npos) {
    const std::optional<int64_t> pid = ParseNumber<int64_t>(word.substr(0, slash));
    if (!pid.has_value()) {
      return false;
    }
    header->pid = pid;
  }
  header->tid = tid;
  return true;
}

// [cpu] time: period event: rest, each optional, in this order.
void ParseFields(std::string_view text, Header* header) {
  std::string_view behind = text;
  std::string_view word = TakeWord(&behind);
  const auto next = [&] {
    text = behind;
    word = TakeWord(&behind);
  };
  if (header->cpu = ParseCpu(word); header->cpu.has_value()) {
    next();
  }
  if (word.size() > 1) {
    header->time_ns = ParseTime(word);
  }
  if (header->time_ns.has_value()) {
    next();
  }
  if (word.starts_with("PERF_RECORD_")) {  // its name may have two words
    header->event = word.ends_with(':') ? word.substr(0, word.size() - 1) : word;
    header->rest = behind;
    return;
  }
  if (ConsistsOf(word, kDigits)) {
    std::string_view ahead = behind;
    const std::string_view following = TakeWord(&ahead);
    // A number is the period only if an event or nothing follows; otherwise it is an address
    // without letters.
    if (following.empty() || (following.size() > 1 && following.ends_with(':'))) {
      header->period = ParseNumber<int64_t>(word);
    }
    if (header->period.has_value()) {
      next();
    }
  }
  if (word.size() > 1 && word.ends_with(':')) {
    header->event = word.substr(0, word.size() - 1);
    next();
  }
  header->rest = text;
}

// Finds the leftmost position where a task and the following fields can begin. The command name may
// contain blanks and numbers.
std::optional<Header> ParseWithTask(std::string_view line) {
  std::optional<Header> without_time;
  std::string_view behind = line;
  for (size_t i = 0; i < kHeaderTokensMax; ++i) {
    const std::string_view word = TakeWord(&behind);
    if (word.empty()) {
      break;
    }
    Header header;
    if (!ParseTask(word, &header)) {
      continue;
    }
    header.comm = TrimRight(line.substr(0, static_cast<size_t>(word.data() - line.data())));
    ParseFields(behind, &header);
    if (header.time_ns.has_value()) {
      return header;
    }
    if (!without_time.has_value() && !header.event.empty()) {
      without_time = header;
    }
  }
  return without_time;
}

// "comm 12.5: event:", "12.5: event:", "comm event:" or "event:".
std::optional<Header> ParseWithoutTask(std::string_view line) {
  std::string_view behind = line;
  for (size_t i = 0; i < kHeaderTokensMax; ++i) {
    const std::string_view before = behind;
    const std::string_view word = TakeWord(&behind);
    if (word.empty()) {
      break;
    }
    Header header;
    ParseFields(before, &header);
    if (header.time_ns.has_value() || !header.event.empty()) {
      header.comm = TrimRight(line.substr(0, static_cast<size_t>(word.data() - line.data())));
      return header;
    }
  }
  return std::nullopt;
}

// Returns the start of the "(...)" at the end of the text, if a blank precedes it; the paths inside
// may contain parentheses.
size_t FindTrailingParenthesis(std::string_view text) {
  if (text.empty() || text.back() != ')') {
    return std::string_view::npos;
  }
  size_t depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : 0;
    if (text[i] == '(' && --depth == 0) {
      const bool is_apart = i == 0 || kBlanks.find(text[i - 1]) != std::string_view::npos;
      return is_apart ? i : std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

std::string_view WithoutOffset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  if (plus == std::string_view::npos || !ConsistsOf(symbol.substr(plus + 3), kHexDigits)) {
    return symbol;
  }
  return symbol.substr(0, plus);
}

}  // namespace

std::optional<Header> ParseHeader(std::string_view line) {
  if (line.empty() || line.front() == '\t') {
    return std::nullopt;
  }
  const bool is_indented = line.front() == ' ';
  const std::string_view text = TrimRight(TrimLeft(line));
  std::optional<Header> header = ParseWithTask(text);
  if (is_indented) {
    // perf indents the header of a sample without a call graph, which then begins with the command
    // name.
    return header.has_value() && !header->comm.empty() ? header : std::nullopt;
  }
  return header.has_value() ? header : ParseWithoutTask(text);
}

std::optional<FrameLine> ParseFrame(std::string_view line) {
  if (line.starts_with('\t')) {
    line.remove_prefix(1);
  }
  std::string_view text = TrimRight(TrimLeft(line));
  FrameLine frame;
  std::string_view behind = text;
  const std::string_view word = TakeWord(&behind);
  const auto word_end_column = static_cast<size_t>(word.data() - line.data()) + word.size();
  const std::string_view following = TrimLeft(behind);
  // Without addresses, a symbol may look like one ("add", "dead"): a real address is in its columns
  // or before a symbol.
  const bool is_address =
      ConsistsOf(word, kHexDigits) && word.size() <= kAddressColumns &&
      (word_end_column >= kAddressColumns || (!following.empty() && following.front() != '('));
  if (is_address) {
    frame.address = ParseNumber<uint64_t>(word, 16);
    text = following;
  }
  const size_t parenthesis = FindTrailingParenthesis(text);
  if (parenthesis != std::string_view::npos) {
    const std::string_view whole = text.substr(parenthesis);
    frame.is_inlined = whole == kInlined;
    if (!frame.is_inlined) {
      frame.dso = whole.substr(1, whole.size() - 2);
    }
    text = TrimRight(text.substr(0, parenthesis));
  }
  frame.symbol = WithoutOffset(text);
  if (!frame.address.has_value() && frame.symbol.empty()) {
    return std::nullopt;
  }
  if (frame.symbol == kUnknown) {
    frame.symbol = {};
  }
  if (frame.dso == kUnknown) {
    frame.dso = {};
  }
  return frame;
}

std::optional<FrameLine> ParseHeaderFrame(std::string_view rest) {
  std::string_view behind = rest;
  const std::string_view word = TakeWord(&behind);
  const auto word_end_column = static_cast<size_t>(word.data() - rest.data()) + word.size();
  if (!ConsistsOf(word, kHexDigits) || word_end_column < kAddressColumns ||
      TrimLeft(behind).empty()) {
    return std::nullopt;
  }
  return ParseFrame(rest);
}

std::optional<SourceLine> ParseSourceLine(std::string_view line) {
  if (line.empty() || line.front() != ' ') {
    return std::nullopt;
  }
  std::string_view text = TrimRight(TrimLeft(line));
  SourceLine source;
  const size_t parenthesis = FindTrailingParenthesis(text);
  if (parenthesis != std::string_view::npos) {
    const std::string_view mark = text.substr(parenthesis);
    source.is_inlined = mark == kInlined;
    if (!source.is_inlined && !mark.starts_with("(discriminator ")) {
      return std::nullopt;
    }
    text = TrimRight(text.substr(0, parenthesis));
  }
  // perf prints "dso[address]" if it found no line.
  const size_t bracket = text.rfind('[');
  if (bracket != std::string_view::npos && text.ends_with(']') &&
      ConsistsOf(text.substr(bracket + 1, text.size() - bracket - 2), kHexDigits)) {
    return source;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<int64_t> number = ParseNumber<int64_t>(text.substr(colon + 1));
  if (!number.has_value() || *number < 0) {
    return std::nullopt;
  }
  const std::string_view file = text.substr(0, colon);
  if (!file.empty() && file != "??") {
    source.file = file;
    source.line = *number;
  }
  return source;
}

}  // namespace flarestack::codec::perfscript
