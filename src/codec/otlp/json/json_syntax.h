// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace flarestack::codec::otlp {

// Where the text stops being JSON, as a byte offset; nothing when it is JSON after all. simdjson
// finds an error fast but often cannot say where, so this second and slower look is taken at bad
// input alone. Linear, not recursive.
std::optional<size_t> LocateSyntaxError(std::string_view json);

}  // namespace flarestack::codec::otlp
