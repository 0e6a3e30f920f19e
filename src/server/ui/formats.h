// SPDX-License-Identifier: Apache-2.0
//
// All formats that the program writes: those of codec/registry.h, and html.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codec/format/format.h"

namespace flarestack::server {

std::span<const codec::Writer* const> Writers();

// For help and errors: "otlp, otlp-json, pprof ...".
std::string WriterNames();

// Return nullptr for an unknown format. By path, the extension decides; a .gz or .zst after it is
// ignored.
const codec::Writer* FindWriter(std::string_view name);
const codec::Writer* FindWriterForPath(std::string_view path);

}  // namespace flarestack::server
