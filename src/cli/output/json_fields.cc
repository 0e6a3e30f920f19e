// SPDX-License-Identifier: Apache-2.0
#include "cli/output/json_fields.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace flarestack::cli {
namespace {

const Json& Nothing() {
  static const Json kNothing;
  return kNothing;
}

}  // namespace

const Json& At(const Json& object, std::string_view key) {
  if (!object.is_object())
    return Nothing();
  const auto member = object.find(std::string(key));
  return member == object.end() ? Nothing() : *member;
}

const Json& At(const Json& array, size_t index) {
  return array.is_array() && index < array.size() ? array[index] : Nothing();
}

std::string TextOf(const Json& value) {
  if (value.is_null())
    return "";
  if (value.is_string())
    return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int64_t IntOf(const Json& value) {
  if (value.is_number_unsigned()) {
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return static_cast<int64_t>(std::min(value.get<uint64_t>(), kMax));
  }
  if (value.is_number_integer())
    return value.get<int64_t>();
  if (value.is_number_float()) {
    // Converting a larger number is undefined behaviour.
    constexpr double kLimit = 9.2e18;
    const auto number = value.get<double>();
    return number > -kLimit && number < kLimit ? static_cast<int64_t>(number) : 0;
  }
  int64_t number = 0;
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

double NumberOf(const Json& value) { return value.is_number() ? value.get<double>() : 0; }

bool IsTrue(const Json& value) { return value.is_boolean() && value.get<bool>(); }

std::string Joined(const Json& array, std::string_view separator) {
  std::string text;
  if (!array.is_array())
    return text;
  for (const Json& element : array)
    text += (text.empty() ? "" : std::string(separator)) + TextOf(element);
  return text;
}

std::string PairsText(const Json& object) {
  std::string text;
  if (!object.is_object())
    return text;
  for (const auto& [key, value] : object.items())
    text += (text.empty() ? "" : " ") + key + "=" + TextOf(value);
  return text;
}

}  // namespace flarestack::cli
