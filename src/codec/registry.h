// SPDX-License-Identifier: Apache-2.0
//
// The formats this program knows, as two tables. A new format is one folder and one line in
// registry.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codec/format/format.h"

namespace flarestack::codec {

// In the order in which they are asked whether they know some bytes: the sure ones first.
std::span<const Reader* const> Readers();

std::span<const Writer* const> Writers();

// Nothing when no reader knows the bytes, which are not compressed.
const Reader* FindReader(std::string_view bytes);

const Reader* FindReaderByName(std::string_view name);

const Writer* FindWriter(std::string_view name);

// By the longest extension that fits, so that a.speedscope.json is not mistaken for OTLP/JSON. A
// trailing .gz or .zst that is not part of a format's own extension is looked through.
const Writer* FindWriterForPath(std::string_view path);

}  // namespace flarestack::codec
