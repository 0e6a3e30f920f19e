// SPDX-License-Identifier: Apache-2.0
//
// Queries other symbolizers, if installed, about addresses of a file, and compares their results
// with ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/code_range.h"

namespace flarestack::elf::testing {

struct OracleFrame {
  std::string function;  // empty when unknown
  std::string file;
  uint32_t line = 0;
};
using OracleChain = std::vector<OracleFrame>;  // innermost first

// In the order of the addresses. Returns nullopt if the program is missing or its output is not
// understood.
std::optional<std::vector<OracleChain>> AskLlvmSymbolizer(const std::string& path,
                                                          const std::vector<uint64_t>& addresses);
std::optional<std::vector<OracleChain>> AskEuAddr2line(const std::string& path,
                                                       const std::vector<uint64_t>& addresses);

OracleChain ChainOf(std::span<const SourceFrame> frames);

// Compares function, file and line of every frame. Names are equal if they are written the same in
// the source: constructors have up to four mangled names, and DWARF has the plain name of a
// function that no other file sees ("Area" for "(anonymous namespace)::Polygon<3>::Area() const").
bool SameChain(const OracleChain& a, const OracleChain& b);

std::string ToText(const OracleChain& chain);

}  // namespace flarestack::elf::testing
