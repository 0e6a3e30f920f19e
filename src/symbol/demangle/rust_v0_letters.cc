// SPDX-License-Identifier: Apache-2.0
//
// The lowest level of RustV0: numbers, identifiers, lifetimes.
#include "symbol/demangle/punycode.h"
#include "symbol/demangle/rust_v0.h"

namespace flarestack::symbol {

char RustV0::Next() {
  const char letter = Peek();
  if (letter == '\0')
    out_.Fail();
  else
    ++at_;
  return letter;
}

bool RustV0::Take(char expected) {
  if (Peek() != expected)
    return false;
  ++at_;
  return true;
}

// "_" is 0, "0_" is 1, "Z_" is 62.
uint64_t RustV0::Base62() {
  if (Take('_'))
    return 0;
  uint64_t number = 0;
  while (!Take('_')) {
    const char c = Next();
    uint64_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<uint64_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'Z')
      digit = static_cast<uint64_t>(c - 'A' + 36);
    else
      out_.Fail();
    if (out_.failed() || number > (UINT64_MAX - digit) / 62 - 1) {
      out_.Fail();
      return 0;
    }
    number = number * 62 + digit;
  }
  return number + 1;
}

uint64_t RustV0::OptionalBase62(char tag) {
  if (!Take(tag))
    return 0;
  const uint64_t number = Base62();
  if (number == UINT64_MAX)
    out_.Fail();
  return number + 1;
}

uint64_t RustV0::Decimal() {
  if (Take('0'))
    return 0;
  uint64_t number = 0;
  while (Peek() >= '0' && Peek() <= '9') {
    number = number * 10 + static_cast<uint64_t>(Next() - '0');
    if (number > name_.size())
      out_.Fail();
  }
  return number;
}

RustV0::Identifier RustV0::ReadIdentifier() {
  const uint64_t disambiguator = OptionalBase62('s');
  Identifier identifier = ReadPlainIdentifier();
  identifier.disambiguator = disambiguator;
  return identifier;
}

RustV0::Identifier RustV0::ReadPlainIdentifier() {
  Identifier identifier;
  identifier.is_punycode = Take('u');
  if (Peek() < '0' || Peek() > '9') {
    out_.Fail();
    return identifier;
  }
  const uint64_t length = Decimal();
  Take('_');  // present if the identifier begins with a digit or an underscore
  if (out_.failed() || length > name_.size() - at_) {
    out_.Fail();
    return identifier;
  }
  identifier.bytes = name_.substr(at_, static_cast<size_t>(length));
  at_ += static_cast<size_t>(length);
  return identifier;
}

// Reads up to and including the final `_`.
std::string_view RustV0::HexDigits() {
  const size_t begin = at_;
  while (true) {
    const char c = Next();
    if (c == '_')
      return name_.substr(begin, at_ - 1 - begin);
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      out_.Fail();
      return {};
    }
  }
}

void RustV0::AppendIdentifier(const Identifier& identifier) {
  if (!identifier.is_punycode)
    return out_.Append(identifier.bytes);
  const std::string text = DecodePunycode(identifier.bytes);
  if (text.empty())
    return out_.Fail();
  out_.Append(text);
}

// De Bruijn index: 1 is the lifetime bound last. Lifetimes are named 'a, 'b and so on from the
// outside in.
void RustV0::Lifetime(uint64_t index) {
  if (index == 0)
    return out_.Append("'_");
  if (index > bound_lifetimes_)
    return out_.Fail();
  const uint64_t depth = bound_lifetimes_ - index;
  out_.Append('\'');
  if (depth < 26)
    out_.Append(static_cast<char>('a' + depth));
  else
    out_.Append("_" + std::to_string(depth));
}

uint64_t RustV0::Binder() {
  const uint64_t count = OptionalBase62('G');
  if (count == 0)
    return 0;
  if (count > static_cast<uint64_t>(kNameDepthMax)) {
    out_.Fail();
    return 0;
  }
  out_.Append("for<");
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0)
      out_.Append(", ");
    ++bound_lifetimes_;
    Lifetime(1);
  }
  out_.Append("> ");
  return count;
}

}  // namespace flarestack::symbol
