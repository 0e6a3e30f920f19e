// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary bytes as a source map and finds positions in it: each is valid, and the map is
// not larger than its text.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/runtime/v8/source_map.h"

namespace runtime = flarestack::record::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view url = runtime::FindSourceMapUrl(text);
  FLARE_CHECK(url.size() <= size);
  if (const auto decoded = runtime::DecodeSourceMapUrl(url); decoded.ok())
    FLARE_CHECK(decoded->size() <= size);
  runtime::SourceMap::Limits limits;
  limits.segments_max = 1 << 16;
  limits.names_max = 1 << 12;
  limits.name_bytes_max = 1 << 20;
  const auto map = runtime::SourceMap::Parse(text, "/srv/app.js.map", limits);
  if (!map.ok())
    return 0;
  FLARE_CHECK(map->segment_count() <= limits.segments_max);
  FLARE_CHECK(map->segment_count() <= size);
  FLARE_CHECK(map->Fits({}) == (map->segment_count() == 0));
  for (int64_t line = 0; line < 8; ++line) {
    for (int64_t column = 0; column < 64; ++column) {
      const auto found = map->Find({.line = line, .column = column});
      if (found.has_value())
        FLARE_CHECK(line > 0 && column > 0 && found->line > 0 && found->column > 0);
      if (!map->FindName({.line = line, .column = column}).empty())
        FLARE_CHECK(line > 0 && column > 0);
    }
  }
  return 0;
}
