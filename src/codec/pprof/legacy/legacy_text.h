// SPDX-License-Identifier: Apache-2.0
//
// The common part of the text formats: numbered lines, and a cursor that consumes numbers and words
// from the front of a line.
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

// Removes white space at both ends.
std::string_view Trim(std::string_view text);

// Empty lines and comments may occur anywhere.
bool IsBlankOrComment(std::string_view line);

// "--- Memory map: ---" or "MAPPED_LIBRARIES:": the following lines are mappings.
bool StartsMemoryMap(std::string_view line);

// Parses the whole text as an integer: decimal, or hexadecimal after 0x.
std::optional<int64_t> ParseInteger(std::string_view text);

// Lines of a text, trimmed. "\n" and "\r\n" end a line, and so does the end of the text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Returns false at the end of the text.
  bool Next();
  // Same as Next(), but skips blank lines and comments.
  bool NextMeaningful();
  // Advances to the line that starts the memory map, which may be the current one. Returns false if
  // there is none.
  bool SkipToMemoryMap();

  std::string_view line() const { return line_; }
  size_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

  // Returns kInvalidArgument with the number and the beginning of the current line.
  absl::Status Error(std::string_view what) const;

 private:
  std::string_view rest_;
  std::string_view line_;
  size_t number_ = 0;
};

// Each call consumes the named item from the front, or consumes nothing and reports that.
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

// Reads the addresses "0x1 0x2 ..." at the cursor; stops at the first word that is not an address.
// Returns an error if one exceeds 64 bits.
absl::StatusOr<std::vector<uint64_t>> ReadAddresses(Cursor& in);

// Warns if a row continues after its addresses.
void WarnOfRest(const Cursor& in, const Lines& lines, base::Warnings* warnings);

}  // namespace flarestack::codec::pprof::legacy
