// SPDX-License-Identifier: Apache-2.0
//
// An attribute as the story has it: text or a whole number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flarestack::demo {

struct Attribute {
  std::string_view key;  // part of the program
  std::variant<std::string, int64_t> value;
};

using Attributes = std::vector<Attribute>;

}  // namespace flarestack::demo
