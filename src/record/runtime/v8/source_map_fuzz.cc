// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary bytes as a source map, and finds places in it: each is within its limits.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/runtime/v8/source_map.h"

namespace runtime = flarestack::record::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  FLARE_CHECK(runtime::FindSourceMapUrl(text).size() <= size);
  runtime::SourceMap::Limits limits;
  limits.segments_max = 1 << 16;
  limits.names_max = 1 << 12;
  const auto map = runtime::SourceMap::Parse(text, "/srv/app.js.map", limits);
  if (!map.ok())
    return 0;
  FLARE_CHECK(map->segment_count() <= limits.segments_max);
  for (int64_t line = 0; line < 8; ++line) {
    for (int64_t column = 0; column < 64; ++column) {
      const auto place = map->Find({.line = line, .column = column});
      if (place.has_value())
        FLARE_CHECK(line > 0 && column > 0 && place->line > 0 && place->column > 0);
    }
  }
  return 0;
}
