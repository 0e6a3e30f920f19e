// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace flarestack::elf::testing {

// One xz stream; the level also says how large the dictionary is.
std::string XzPack(std::string_view bytes, unsigned level = 1);

}  // namespace flarestack::elf::testing
