// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace flarestack::codec::otlp {

// Returns the byte offset at which the text stops being JSON, or nullopt if it is JSON. simdjson
// finds an error fast but often cannot say where, so this second, slower pass runs only on bad
// input. Linear, not recursive.
std::optional<size_t> LocateSyntaxError(std::string_view json);

}  // namespace flarestack::codec::otlp
