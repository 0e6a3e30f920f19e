// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/otel_variables.h"

#include <algorithm>
#include <utility>

#include "base/text/encoding.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kAttributesMax = 128;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Returns nullopt if an escape is malformed or the result is not UTF-8.
std::optional<std::string> DecodePercent(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] != '%') {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    const std::string_view digits = text.substr(1, 2);
    const auto byte = base::HexDecode(digits);
    if (digits.size() != 2 || !byte.has_value())
      return std::nullopt;
    out += *byte;
    text.remove_prefix(3);
  }
  if (!base::IsValidUtf8(out))
    return std::nullopt;
  return out;
}

std::optional<TextAttribute> ParseAttribute(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return std::nullopt;
  std::optional<std::string> key = DecodePercent(Trim(text.substr(0, equals)));
  std::optional<std::string> value = DecodePercent(Trim(text.substr(equals + 1)));
  if (!key.has_value() || key->empty() || !value.has_value())
    return std::nullopt;
  return TextAttribute{.key = *std::move(key), .value = *std::move(value)};
}

}  // namespace

std::string_view FindVariable(std::string_view environment, std::string_view name) {
  while (true) {
    const size_t end = environment.find('\0');
    if (end == std::string_view::npos)
      return {};
    const std::string_view variable = environment.substr(0, end);
    if (variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=')
      return variable.substr(name.size() + 1);
    environment.remove_prefix(end + 1);
  }
}

std::optional<std::vector<TextAttribute>> ParseResourceAttributes(std::string_view text) {
  std::vector<TextAttribute> attributes;
  while (!Trim(text).empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (Trim(item).empty())
      continue;  // W3C baggage lists may contain extra commas
    std::optional<TextAttribute> attribute = ParseAttribute(item);
    if (!attribute.has_value())
      return std::nullopt;
    const auto same =
        std::find_if(attributes.begin(), attributes.end(),
                     [&](const TextAttribute& other) { return other.key == attribute->key; });
    if (same != attributes.end()) {
      *same = *std::move(attribute);
    } else if (attributes.size() < kAttributesMax) {
      attributes.push_back(*std::move(attribute));
    } else {
      return std::nullopt;
    }
  }
  return attributes;
}

}  // namespace flarestack::record::agent
