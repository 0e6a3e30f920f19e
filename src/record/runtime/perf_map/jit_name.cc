// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/jit_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kNameBytesMax = 1024;
constexpr size_t kNone = std::string_view::npos;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A letter, digit or other character that Java and .NET allow in identifiers.
bool IsIdentifierChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text[0]) && std::ranges::all_of(text, IsIdentifierChar);
}

// Removes the part up to and including `mark` and returns it without the mark. Returns nullopt and
// changes nothing if there is no mark.
std::optional<std::string_view> TakeUntil(std::string_view mark, std::string_view* text) {
  const size_t at = text->find(mark);
  if (at == kNone)
    return std::nullopt;
  const std::string_view part = text->substr(0, at);
  text->remove_prefix(at + mark.size());
  return part;
}

// Removes ":123" from the end and returns 123.
std::optional<int64_t> TakeTrailingNumber(std::string_view* text) {
  const size_t colon = text->rfind(':');
  if (colon == kNone)
    return std::nullopt;
  int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto result = std::from_chars(text->data() + colon + 1, end, number);
  if (result.ec != std::errc{} || result.ptr != end || number < 0 || !IsDigit((*text)[colon + 1]))
    return std::nullopt;
  text->remove_suffix(text->size() - colon);
  return number;
}

NamedFrame Frame(std::string_view type, NamedFunction function) {
  NamedFrame frame = {.type = type};
  frame.functions.push_back(std::move(function));
  return frame;
}

// Names and files may both have blanks: "get total /srv/my shop/cart.js".
size_t FileBegin(std::string_view text) {
  constexpr std::array<std::string_view, 7> kBegins = {" /",     " file:", " node:", " internal/",
                                                       " wasm:", " http:", " https:"};
  size_t begin = kNone;
  for (const std::string_view mark : kBegins)
    begin = std::min(begin, text.find(mark));
  return begin == kNone ? text.rfind(' ') : begin;
}

std::optional<NamedFrame> NameV8(std::string_view name) {
  constexpr std::array<std::string_view, 5> kScript = {"JS", "LazyCompile", "Function", "Eval",
                                                       "Script"};
  constexpr std::array<std::string_view, 6> kInternal = {"Builtin", "BytecodeHandler", "Callback",
                                                         "Handler", "RegExp",          "Stub"};
  std::string_view rest = name;
  const std::optional<std::string_view> tag = TakeUntil(":", &rest);
  if (!tag.has_value() || rest.empty() || rest.starts_with(':'))
    return std::nullopt;
  if (std::ranges::find(kInternal, *tag) != kInternal.end())
    return Frame("v8js", {.name = std::string(name)});
  // Interpreted, baseline, and optimised by Maglev or TurboFan.
  const bool has_tier = std::string_view("~^+*").find(rest[0]) != kNone;
  if (std::ranges::find(kScript, *tag) == kScript.end() || !has_tier)
    return std::nullopt;
  rest.remove_prefix(1);
  NamedFunction function;
  std::optional<int64_t> line = TakeTrailingNumber(&rest);
  if (std::string_view before = rest; line.has_value()) {
    // "file:line:column", or "file:line" in older versions.
    if (const std::optional<int64_t> first = TakeTrailingNumber(&before); first.has_value()) {
      line = first;
      rest = before;
    }
    function.start_line = *line;
    const size_t space = FileBegin(rest);
    function.file = space == kNone ? rest : rest.substr(space + 1);
    rest = rest.substr(0, space == kNone ? 0 : space);
  }
  while (rest.ends_with(' '))
    rest.remove_suffix(1);
  function.name = rest.empty() ? "(anonymous)" : rest;
  return Frame("v8js", std::move(function));
}

// "void [shop] Shop.Cart::Add(int32)[Tier0]"
std::optional<NamedFrame> NameDotnet(std::string_view name) {
  std::string_view rest = name;
  const std::optional<std::string_view> result_type = TakeUntil(" [", &rest);
  const std::optional<std::string_view> assembly = TakeUntil("] ", &rest);
  const std::optional<std::string_view> type = TakeUntil("::", &rest);
  const std::optional<std::string_view> method = TakeUntil("(", &rest);
  if (!result_type || !assembly || !type || !method || assembly->empty() || type->empty() ||
      method->empty() || assembly->find_first_of(" ()[]") != kNone || !rest.ends_with(']'))
    return std::nullopt;
  return Frame("dotnet", {.name = base::StrCat(*type, ".", *method)});
}

// "py::checkout:/srv/shop.py"
std::optional<NamedFrame> NamePython(std::string_view name) {
  std::string_view rest = name;
  if (!name.starts_with("py::"))
    return std::nullopt;
  rest.remove_prefix(4);
  const std::optional<std::string_view> function = TakeUntil(":", &rest);
  if (!function || function->empty() || rest.empty())
    return std::nullopt;
  return Frame("cpython", {.name = std::string(*function), .file = std::string(rest)});
}

// Removes the address of a hidden class, which differs between runs: "Cart$$Lambda$1/0x7f3eb400".
std::string_view WithoutAddress(std::string_view type) {
  const size_t slash = type.rfind("/0x");
  return slash == kNone ? type : type.substr(0, slash);
}

bool IsJavaClass(std::string_view type, char separator) {
  type = WithoutAddress(type);
  for (;;) {
    const size_t at = type.find(separator);
    if (!IsIdentifier(type.substr(0, at)))
      return false;
    if (at == kNone)
      return true;
    type.remove_prefix(at + 1);
  }
}

bool IsJavaMethod(std::string_view method) {
  return method == "<init>" || method == "<clinit>" || IsIdentifier(method);
}

// "int", "java.lang.String", "long[][]".
bool IsJavaType(std::string_view type) {
  constexpr std::array<std::string_view, 9> kPrimitive = {
      "boolean", "byte", "char", "double", "float", "int", "long", "short", "void"};
  while (type.ends_with("[]"))
    type.remove_suffix(2);
  return std::ranges::find(kPrimitive, type) != kPrimitive.end() || IsJavaClass(type, '.');
}

NamedFrame JavaFrame(std::string_view type, std::string_view method) {
  std::string name = base::StrCat(WithoutAddress(type), ".", method);
  return Frame("jvm", {.name = std::move(name)});
}

// "Lcom/shop/Cart;::add", "Lcom/shop/Cart;::add(I)I" and "Lcom/shop/Cart;add(I)I".
std::optional<NamedFrame> NameJavaSignature(std::string_view name) {
  if (!name.starts_with('L'))
    return std::nullopt;
  std::string_view rest = name.substr(1);
  const std::optional<std::string_view> type = TakeUntil(";", &rest);
  if (!type || !IsJavaClass(*type, '/'))
    return std::nullopt;
  const bool has_colons = rest.starts_with("::");
  if (has_colons)
    rest.remove_prefix(2);
  const size_t end = rest.find('(');
  if ((end == kNone && !has_colons) || !IsJavaMethod(rest.substr(0, end)))
    return std::nullopt;
  std::string dotted(WithoutAddress(*type));
  std::ranges::replace(dotted, '/', '.');
  return JavaFrame(dotted, rest.substr(0, end));
}

// "com.shop.Cart::add" and "int com.shop.Cart.add(int)", and what is between these two.
std::optional<NamedFrame> NameJavaDotted(std::string_view name) {
  const size_t arguments = name.find('(');
  std::string_view rest = name.substr(0, arguments);
  if (arguments != kNone && !name.ends_with(')'))
    return std::nullopt;
  const size_t space = rest.find(' ');
  const bool has_type = space != kNone;
  if (has_type && !IsJavaType(rest.substr(0, space)))
    return std::nullopt;
  if (has_type)
    rest.remove_prefix(space + 1);
  const size_t colons = rest.find("::");
  // Without colons, only a result type and arguments tell a method from anything else.
  if (colons == kNone && (!has_type || arguments == kNone))
    return std::nullopt;
  const size_t split = colons == kNone ? rest.rfind('.') : colons;
  if (split == kNone)
    return std::nullopt;
  const std::string_view type = rest.substr(0, split);
  const std::string_view method = rest.substr(split + (colons == kNone ? 1 : 2));
  const bool has_package = type.find('.') != kNone;
  if (!IsJavaClass(type, '.') || !IsJavaMethod(method) || (colons != kNone && !has_package))
    return std::nullopt;
  return JavaFrame(type, method);
}

std::string Valid(std::string_view name) {
  std::string text = base::ToValidUtf8(name.substr(0, kNameBytesMax));
  while (text.size() > kNameBytesMax || !base::IsValidUtf8(text))
    text.pop_back();
  return text;
}

}  // namespace

NamedFrame NameJitFrame(std::string_view name) {
  const std::string valid = Valid(name);
  for (const auto rule : {NameV8, NameDotnet, NamePython, NameJavaSignature, NameJavaDotted}) {
    if (std::optional<NamedFrame> frame = rule(valid); frame.has_value())
      return *std::move(frame);
  }
  return Frame("native", {.name = valid});
}

}  // namespace flarestack::record::runtime
