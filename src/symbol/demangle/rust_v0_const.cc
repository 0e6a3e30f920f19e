// SPDX-License-Identifier: Apache-2.0
//
// Constants in generic arguments: numbers, strings, and structures of them.
#include "base/text/encoding.h"
#include "symbol/demangle/punycode.h"
#include "symbol/demangle/rust_v0.h"

namespace flarestack::symbol {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

uint64_t HexValue(std::string_view digits) {
  uint64_t value = 0;
  for (const char c : digits)
    value = value << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  return value;
}

std::string_view WithoutLeadingZeros(std::string_view digits) {
  const size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}

// Escapes a character as in a quoted Rust literal.
void AppendEscaped(char32_t c, char quote, std::string* out) {
  if (c == '\n' || c == '\r' || c == '\t' || c == '\0' || c == '\\' ||
      c == static_cast<char32_t>(quote)) {
    out->push_back('\\');
    out->push_back(c == '\n'   ? 'n'
                   : c == '\r' ? 'r'
                   : c == '\t' ? 't'
                   : c == '\0' ? '0'
                               : static_cast<char>(c));
  } else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
    *out += "\\u{";
    if (c >= 0x10)
      out->push_back(kHexDigits[c >> 4]);
    out->push_back(kHexDigits[c & 15]);
    out->push_back('}');
  } else {
    AppendUtf8(c, out);
  }
}

}  // namespace

void RustV0::Const(InConst in) {
  const NameLevel level(out_);
  if (!level.ok())
    return;
  const char tag = Next();
  switch (tag) {
    case 'p':
      return out_.Append('_');
    case 'B':
      return BackReference([&] { Const(in); });
    case 'b': {
      const uint64_t value = HexValue(WithoutLeadingZeros(HexDigits()).substr(0, 16));
      return value > 1 ? out_.Fail() : out_.Append(value == 1 ? "true" : "false");
    }
    case 'c':
      return ConstCharacter();
    case 'R':
    case 'Q':
      return ConstReference(tag == 'Q', in);
    case 'e':
    case 'A':
    case 'T':
    case 'V':
      break;
    default:
      return ConstInteger(tag);
  }
  // A structure is an expression, which needs braces as a generic argument in Rust.
  if (in == InConst::kArgument)
    out_.Append('{');
  if (tag == 'e') {
    out_.Append('*');
    ConstText();
  } else if (tag == 'A') {
    out_.Append('[');
    ConstList(']', false);
  } else if (tag == 'T') {
    out_.Append('(');
    ConstList(')', true);
  } else {
    ConstStructure();
  }
  if (in == InConst::kArgument)
    out_.Append('}');
}

void RustV0::ConstCharacter() {
  const std::string_view digits = WithoutLeadingZeros(HexDigits());
  if (digits.size() > 6)
    return out_.Fail();
  const auto character = static_cast<char32_t>(HexValue(digits));
  std::string text;
  if (!AppendUtf8(character, &text))
    return out_.Fail();
  text = "'";
  AppendEscaped(character, '\'', &text);
  out_.Append(text + "'");
}

// Numbers of more than 64 bits stay hexadecimal.
void RustV0::ConstInteger(char tag) {
  constexpr std::string_view kSigned = "aslxni";
  constexpr std::string_view kUnsigned = "htmyoj";
  const bool is_signed = kSigned.find(tag) != std::string_view::npos;
  if (tag == '\0' || (!is_signed && kUnsigned.find(tag) == std::string_view::npos))
    return out_.Fail();
  if (is_signed && Take('n'))
    out_.Append('-');
  const std::string_view digits = WithoutLeadingZeros(HexDigits());
  if (digits.size() > 32)
    return out_.Fail();
  if (digits.size() > 16) {
    out_.Append("0x");
    return out_.Append(digits);
  }
  out_.Append(std::to_string(HexValue(digits)));
}

void RustV0::ConstText() {
  const std::string_view digits = HexDigits();
  if (digits.size() % 2 != 0)
    return out_.Fail();
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(HexValue(digits.substr(i, 2))));
  if (!base::IsValidUtf8(bytes))
    return out_.Fail();
  std::string text = "\"";
  for (const char byte : bytes) {
    if (static_cast<unsigned char>(byte) < 0x80)
      AppendEscaped(static_cast<char32_t>(byte), '"', &text);
    else
      text.push_back(byte);
  }
  out_.Append(text + "\"");
}

void RustV0::ConstReference(bool is_mutable, InConst in) {
  // A string literal is already a reference.
  if (!is_mutable && Take('e'))
    return ConstText();
  if (in == InConst::kArgument)
    out_.Append('{');
  out_.Append(is_mutable ? "&mut " : "&");
  Const(InConst::kExpression);
  if (in == InConst::kArgument)
    out_.Append('}');
}

void RustV0::ConstList(char close, bool comma_after_one) {
  size_t count = 0;
  for (; !out_.failed() && !Take('E'); ++count) {
    if (count > 0)
      out_.Append(", ");
    Const(InConst::kExpression);
  }
  if (count == 1 && comma_after_one)
    out_.Append(',');
  out_.Append(close);
}

// A unit, a tuple or a struct, of a type or of an enum variant.
void RustV0::ConstStructure() {
  Path(InPath::kValue);
  switch (Next()) {
    case 'U':
      return;
    case 'T':
      out_.Append('(');
      return ConstList(')', false);
    case 'S':
      break;
    default:
      return out_.Fail();
  }
  out_.Append(" { ");
  for (bool is_first = true; !out_.failed() && !Take('E'); is_first = false) {
    if (!is_first)
      out_.Append(", ");
    AppendIdentifier(ReadIdentifier());
    out_.Append(": ");
    Const(InConst::kExpression);
  }
  out_.Append(" }");
}

}  // namespace flarestack::symbol
