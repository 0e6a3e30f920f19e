// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace flarestack::elf::testing {

// Makes one xz stream; the level also determines the dictionary size.
std::string XzPack(std::string_view bytes, unsigned level = 1);

}  // namespace flarestack::elf::testing
