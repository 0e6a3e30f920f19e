// SPDX-License-Identifier: Apache-2.0
//
// What the text formats share: lines with numbers, and a cursor that takes numbers and words from
// the front of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"

namespace flarestack::codec::pprof::legacy {

// Without the white space at both ends.
std::string_view Trim(std::string_view text);

// Empty, or a comment: these may stand anywhere.
bool IsBlankOrComment(std::string_view line);

// "--- Memory map: ---" or "MAPPED_LIBRARIES:": what follows are mappings.
bool StartsMemoryMap(std::string_view line);

// The integer that the whole text is: decimal, or hexadecimal after 0x.
std::optional<int64_t> ParseInteger(std::string_view text);

// Lines of a text, trimmed. "\n" and "\r\n" end a line, and so does the end of the text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // False at the end of the text.
  bool Next();
  // Next(), past blank lines and comments.
  bool NextMeaningful();
  // Steps to the line that starts the memory map, the current one included. False when there is
  // none.
  bool SkipToMemoryMap();

  std::string_view line() const { return line_; }
  size_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

  // kInvalidArgument that names the current line and shows how it begins.
  absl::Status Error(std::string_view what) const;

 private:
  std::string_view rest_;
  std::string_view line_;
  size_t number_ = 0;
};

// Each call takes what it names from the front, or takes nothing and says so.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool AtEnd() const { return rest_.empty(); }

  bool Eat(std::string_view word);
  bool EatBlanks();         // whether there was one
  std::string_view Word();  // up to the next white space
  std::optional<uint64_t> Decimal();
  std::optional<int64_t> SignedDecimal();
  std::optional<uint64_t> Hex();  // digits without 0x

 private:
  std::string_view rest_;
};

// The addresses "0x1 0x2 ..." that the cursor stands before; it stops at the first word that is
// none. An error when one has more than 64 bits.
absl::StatusOr<std::vector<uint64_t>> ReadAddresses(Cursor& in);

// A warning when a row goes on behind its addresses.
void WarnOfRest(const Cursor& in, const Lines& lines, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof::legacy
