// SPDX-License-Identifier: Apache-2.0
//
// An attribute of the story: text or an integer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flarestack::demo {

struct Attribute {
  std::string_view key;  // static text
  std::variant<std::string, int64_t> value;
};

using Attributes = std::vector<Attribute>;

}  // namespace flarestack::demo
