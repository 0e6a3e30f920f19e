// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy_text.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr size_t kShownBytesMax = 60;

bool IsBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// Cuts a number off the front of `rest`. Returns nullopt if there is none or it does not fit.
template <typename Number>
std::optional<Number> TakeNumber(std::string_view& rest, int base) {
  Number number = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, number, base);
  if (error != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
  return number;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool IsBlankOrComment(std::string_view line) {
  const size_t begin = line.find_first_not_of(kBlanks);
  return begin == std::string_view::npos || line[begin] == '#';
}

bool StartsMemoryMap(std::string_view line) {
  return line.find("--- Memory map: ---") != std::string_view::npos ||
         line.find("MAPPED_LIBRARIES:") != std::string_view::npos;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) {
    text.remove_prefix(2);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  const std::optional<int64_t> number = TakeNumber<int64_t>(text, is_hex ? 16 : 10);
  return text.empty() ? number : std::nullopt;
}

bool Lines::Next() {
  if (rest_.empty()) {
    line_ = {};
    return false;
  }
  const size_t end = rest_.find('\n');
  line_ = Trim(rest_.substr(0, end));
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  ++number_;
  return true;
}

bool Lines::NextMeaningful() {
  while (Next()) {
    if (!IsBlankOrComment(line_)) {
      return true;
    }
  }
  return false;
}

bool Lines::SkipToMemoryMap() {
  while (!StartsMemoryMap(line_)) {
    if (!Next()) {
      return false;
    }
  }
  return true;
}

absl::Status Lines::Error(std::string_view what) const {
  std::string shown = base::ToValidUtf8(line_.substr(0, kShownBytesMax));
  if (line_.size() > kShownBytesMax) {
    shown += "...";
  }
  return absl::InvalidArgumentError(base::StrCat("line ", number_, ": ", what, ": ", shown));
}

bool Cursor::Eat(std::string_view word) {
  if (!rest_.starts_with(word)) {
    return false;
  }
  rest_.remove_prefix(word.size());
  return true;
}

bool Cursor::EatBlanks() {
  const size_t before = rest_.size();
  while (!rest_.empty() && IsBlank(rest_.front())) {
    rest_.remove_prefix(1);
  }
  return rest_.size() != before;
}

std::string_view Cursor::Word() {
  const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
  rest_.remove_prefix(word.size());
  return word;
}

std::optional<uint64_t> Cursor::Decimal() { return TakeNumber<uint64_t>(rest_, 10); }

std::optional<int64_t> Cursor::SignedDecimal() { return TakeNumber<int64_t>(rest_, 10); }

std::optional<uint64_t> Cursor::Hex() { return TakeNumber<uint64_t>(rest_, 16); }

absl::StatusOr<std::vector<uint64_t>> ReadAddresses(Cursor& in) {
  std::vector<uint64_t> addresses;
  for (in.EatBlanks(); in.rest().starts_with("0x"); in.EatBlanks()) {
    in.Eat("0x");
    const std::optional<uint64_t> address = in.Hex();
    if (!address) {
      return absl::InvalidArgumentError("an address that is not a 64-bit hexadecimal number");
    }
    addresses.push_back(*address);
  }
  return addresses;
}

void WarnOfRest(const Cursor& in, const Lines& lines, base::Warnings* warnings) {
  if (!in.AtEnd()) {
    warnings->Add("text after the addresses of a row", base::Message(lines.Error("skipped")));
  }
}

}  // namespace flarestack::codec::pprof::legacy
