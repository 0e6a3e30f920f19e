// SPDX-License-Identifier: Apache-2.0
//
// Replaces the positions and the name that V8 gives a function by those in the original source.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "record/runtime/named_frame.h"
#include "record/runtime/v8/source_map.h"

namespace flarestack::record::runtime {

// A function as V8 sees it, in the text that it runs.
struct GeneratedFunction {
  SourcePosition start;             // of the parameters; line 0: unknown
  SourcePosition current;           // that was running; line 0: unknown
  std::u16string_view text_before;  // up to the start
};

// How many code units of the text need to be known before the start of a function.
inline constexpr size_t kTextBeforeUnits = 512;

// Leaves `function` as it is if the current position has no mapping. Keeps its name if the map has
// no other.
void ApplySourceMap(const SourceMap& map, const GeneratedFunction& generated,
                    NamedFunction* function);

// The distance from the start of a function back to the identifier that names it: 3 in "a=(" for
// `name` "a" and the start at the end of this text. Returns nullopt if the identifier is not found
// in the same line. V8 names a function by what it is assigned to: "shop.total", "get total".
std::optional<size_t> FindNameBefore(std::u16string_view text_before, std::string_view name);

}  // namespace flarestack::record::runtime
