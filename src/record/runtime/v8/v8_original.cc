// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_original.h"

#include <algorithm>
#include <string>

#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

bool IsIdentifierUnit(char16_t unit) {
  return (unit >= u'a' && unit <= u'z') || (unit >= u'A' && unit <= u'Z') ||
         (unit >= u'0' && unit <= u'9') || unit == u'_' || unit == u'$' || unit == u'#';
}

// Between a name and the parameters: "total = async function* (".
bool IsBetween(char16_t unit) {
  return unit == u' ' || unit == u'\t' || unit == u'=' || unit == u':' || unit == u'*';
}

bool IsKeywordBetween(std::u16string_view word) { return word == u"function" || word == u"async"; }

// Identifiers that are not ASCII never match.
bool IsSame(std::u16string_view word, std::string_view name) {
  return std::ranges::equal(word, name, [](char16_t unit, char c) {
    return unit < 0x80 && unit == static_cast<uint8_t>(c);
  });
}

// The last identifier at the end of a text.
std::u16string_view LastWord(std::u16string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsIdentifierUnit(text[begin - 1]))
    --begin;
  return text.substr(begin);
}

// Of "shop.total" and "get total".
size_t BeginOfLastPart(std::string_view name) {
  const size_t separator = name.find_last_of(". ");
  return separator == std::string_view::npos ? 0 : separator + 1;
}

// Where the name begins in a text that ends with "NAME = async function* " or the like.
std::optional<size_t> FindNameAtEnd(std::u16string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::u16string_view word = LastWord(text);
    if (IsSame(word, name))
      return text.size() - word.size();
    if (word.empty() ? !IsBetween(text.back()) : !IsKeywordBetween(word))
      return std::nullopt;
    text.remove_suffix(std::max<size_t>(word.size(), 1));
  }
  return std::nullopt;
}

// V8 gives a class the position of its constructor. Finds "class NAME" or "NAME = class".
std::optional<size_t> FindNameOfClass(std::u16string_view text, std::string_view name) {
  constexpr std::u16string_view kClass = u"class";
  size_t end = text.size();
  while (true) {
    const size_t at = text.substr(0, end).rfind(kClass);
    if (at == std::u16string_view::npos)
      return std::nullopt;
    end = at;
    const std::u16string_view after = text.substr(at + kClass.size());
    if (after.starts_with(u' ')) {
      const std::u16string_view rest = after.substr(1);
      const auto last = std::ranges::find_if_not(rest, IsIdentifierUnit);
      if (IsSame({rest.begin(), last}, name))
        return at + kClass.size() + 1;
    }
    if (const auto before = FindNameAtEnd(text.substr(0, at), name); before.has_value())
      return before;
  }
}

}  // namespace

std::optional<size_t> FindNameBefore(std::u16string_view text_before, std::string_view name) {
  name.remove_prefix(BeginOfLastPart(name));
  if (name.empty())
    return std::nullopt;
  // The start of a function is in the line of its name.
  std::u16string_view line = text_before;
  line.remove_prefix(line.find_last_of(u"\n\r") + 1);
  auto begin = FindNameAtEnd(line, name);
  if (!begin.has_value() && LastWord(line) == u"constructor")
    begin = FindNameOfClass(line, name);
  return begin.has_value() ? std::optional(line.size() - *begin) : std::nullopt;
}

void ApplySourceMap(const SourceMap& map, const GeneratedFunction& generated,
                    NamedFunction* function) {
  const auto start = map.Find(generated.start);
  const bool has_current = generated.current.line > 0;
  const auto current = has_current ? map.Find(generated.current) : start;
  if (!current.has_value())
    return;
  function->file = current->file;
  function->start_line = start.has_value() && start->file == current->file ? start->line : 0;
  if (has_current) {
    function->line = current->line;
    function->column = current->column;
  }
  const auto distance = FindNameBefore(generated.text_before, function->name);
  if (!distance.has_value())
    return;
  const std::string_view original =
      map.FindName({.line = generated.start.line,
                    .column = generated.start.column - static_cast<int64_t>(*distance)});
  const size_t last_part = BeginOfLastPart(function->name);
  if (original.empty() || original == std::string_view(function->name).substr(last_part))
    return;
  // The object before a dot has another name, too: only "get " and "set " stay.
  const bool is_accessor = last_part > 0 && function->name[last_part - 1] == ' ';
  function->name = base::StrCat(
      is_accessor ? std::string_view(function->name).substr(0, last_part) : std::string_view(),
      original);
}

}  // namespace flarestack::record::runtime
