// SPDX-License-Identifier: Apache-2.0
//
// Values in template arguments. The format of a number depends on its type.
#include <fmt/format.h>

#include "symbol/demangle/d_name.h"

namespace flarestack::symbol {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpperHex(char c) { return IsDigit(c) || (c >= 'A' && c <= 'F'); }
bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

std::string CharacterLiteral(char type, uint64_t value) {
  if (type == 'a' && value >= 0x20 && value < 0x7f)
    return fmt::format("'{}'", static_cast<char>(value));
  if (type == 'a')
    return fmt::format("'\\x{:02x}'", value);
  return type == 'u' ? fmt::format("'\\u{:04x}'", value) : fmt::format("'\\U{:08x}'", value);
}

std::string_view SuffixOfInteger(char type) {
  switch (type) {
    case 'h':
    case 't':
    case 'k':
      return "u";
    case 'l':
      return "L";
    case 'm':
      return "uL";
    default:
      return {};
  }
}

}  // namespace

void DName::Value(char type, std::string_view type_name) {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  if (Take('n'))
    return out_.Append("null");
  if (Take('e'))
    return Real();
  if (Take('c')) {
    Real();
    out_.Append('+');
    if (!Take('c'))
      return out_.Fail();
    Real();
    return out_.Append('i');
  }
  if (Peek() == 'a' || Peek() == 'w' || Peek() == 'd')
    return Text();
  if (Take('A'))
    return ValueList("[", "]");
  if (Take('S')) {
    out_.Append(type_name);
    return ValueList("(", ")");
  }
  if (Take('f'))
    return MangledName();
  if (Take('N'))
    out_.Append('-');
  else
    Take('i');
  const size_t begin = at_;
  while (IsDigit(Peek()))
    ++at_;
  Integer(type, name_.substr(begin, at_ - begin));
}

void DName::Integer(char type, std::string_view digits) {
  if (digits.empty() || digits.size() > 39)
    return out_.Fail();
  if (type != 'a' && type != 'u' && type != 'w' && type != 'b') {
    out_.Append(digits);
    return out_.Append(SuffixOfInteger(type));
  }
  if (digits.size() > 10)
    return out_.Fail();
  uint64_t value = 0;
  for (const char c : digits)
    value = value * 10 + static_cast<uint64_t>(c - '0');
  if (type == 'b')
    return out_.Append(value != 0 ? "true" : "false");
  out_.Append(CharacterLiteral(type, value));
}

// Hexadecimal: a digit, more digits, P and a decimal exponent; N before either is a minus.
void DName::Real() {
  if (Take("NAN"))
    return out_.Append("NaN");
  if (Take("INF"))
    return out_.Append("Inf");
  if (Take("NINF"))
    return out_.Append("-Inf");
  if (Take('N'))
    out_.Append('-');
  if (!IsUpperHex(Peek()))
    return out_.Fail();
  out_.Append("0x");
  out_.Append(Peek());
  ++at_;
  out_.Append('.');
  for (; IsUpperHex(Peek()); ++at_)
    out_.Append(Peek());
  if (!Take('P'))
    return out_.Fail();
  out_.Append('p');
  if (Take('N'))
    out_.Append('-');
  if (!IsDigit(Peek()))
    return out_.Fail();
  for (; IsDigit(Peek()); ++at_)
    out_.Append(Peek());
}

// The character type, the number of bytes, `_`, and two hexadecimal digits per byte.
void DName::Text() {
  const char kind = Peek();
  ++at_;
  const uint64_t length = Number();
  if (!Take('_') || length > (name_.size() - at_) / 2)
    return out_.Fail();
  out_.Append('"');
  for (uint64_t i = 0; i < length; ++i) {
    const char high = Peek();
    const char low = Peek(1);
    if (!IsLowerHex(high) || !IsLowerHex(low))
      return out_.Fail();
    const auto digit = [](char c) { return IsDigit(c) ? c - '0' : c - 'a' + 10; };
    const int byte = digit(high) * 16 + digit(low);
    at_ += 2;
    if (byte >= 0x20 && byte < 0x7f)
      out_.Append(static_cast<char>(byte));
    else
      out_.Append(fmt::format("\\x{:02x}", byte));
  }
  out_.Append('"');
  if (kind != 'a')
    out_.Append(kind);
}

void DName::ValueList(std::string_view open, std::string_view close) {
  const uint64_t count = Number();
  out_.Append(open);
  for (uint64_t i = 0; i < count && !out_.failed(); ++i) {
    if (i > 0)
      out_.Append(", ");
    Value('\0', {});
  }
  out_.Append(close);
}

}  // namespace flarestack::symbol
