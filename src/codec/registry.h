// SPDX-License-Identifier: Apache-2.0
//
// The supported formats, as two tables. A new format needs one folder and one line in registry.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codec/format/format.h"

namespace flarestack::codec {

// In the order of detection: the most reliable first.
std::span<const Reader* const> Readers();

std::span<const Writer* const> Writers();

// Returns nullptr if no reader recognizes the bytes, which must not be compressed.
const Reader* FindReader(std::string_view bytes);

const Reader* FindReaderByName(std::string_view name);

const Writer* FindWriter(std::string_view name);

// Selects by the longest matching extension, so that a.speedscope.json is not mistaken for
// OTLP/JSON. Ignores a trailing .gz or .zst that is not part of a format's extension.
const Writer* FindWriterForPath(std::string_view path);

}  // namespace flarestack::codec
