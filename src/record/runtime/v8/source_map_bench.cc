// SPDX-License-Identifier: Apache-2.0
//
// Parses the source map of a large bundle, and finds positions in it.
#include <benchmark/benchmark.h>

#include <string>

#include "base/check.h"
#include "base/text/text.h"
#include "record/runtime/v8/source_map.h"

namespace flarestack::record::runtime {
namespace {

constexpr int kSources = 2000;
constexpr int kLinesPerSource = 180;
constexpr int kMappingsPerLine = 4;

// As a bundler writes it without line breaks in the bundle, with the text of the sources: 20 MB.
std::string LargeMap() {
  std::string sources;
  std::string contents;
  std::string names;
  std::string mappings;
  for (int i = 0; i < kSources; ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    sources += base::StrCat(comma, "\"webpack://shop/./src/module", i, ".ts\"");
    names += base::StrCat(comma, "\"function", i, "\"");
    contents += base::StrCat(comma, "\"");
    for (int line = 0; line < kLinesPerSource; ++line)
      contents += "  const price = item.price;\\n";
    contents += "\"";
    // Sources and names are numbered from that of the mapping before.
    mappings += i == 0 ? "AAAAA" : ",ICpLAC";
    for (int line = 0; line < kLinesPerSource; ++line) {
      mappings += ",GACE";
      for (int mapping = 1; mapping < kMappingsPerLine; ++mapping)
        mappings += ",KAAK";
      mappings += ",IAAjB";
    }
  }
  return base::StrCat(R"({"version":3,"sources":[)", sources, R"(],"names":[)", names,
                      R"(],"sourcesContent":[)", contents, R"(],"mappings":")", mappings, "\"}");
}

void ParseLargeMap(benchmark::State& state) {
  const std::string json = LargeMap();
  for (auto _ : state) {
    const auto map = SourceMap::Parse(json, "/srv/dist/app.js.map");
    FLARE_CHECK(map.ok());
    state.counters["mappings"] = static_cast<double>(map->segment_count());
    state.counters["memory_bytes"] = static_cast<double>(map->bytes());
  }
  state.counters["json_bytes"] = static_cast<double>(json.size());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(json.size()));
}
BENCHMARK(ParseLargeMap)->Unit(benchmark::kMillisecond);

void FindPosition(benchmark::State& state) {
  const auto map = SourceMap::Parse(LargeMap(), "/srv/dist/app.js.map");
  FLARE_CHECK(map.ok());
  int64_t column = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map->Find({.line = 1, .column = column}));
    column = column * 7919 % 5'000'011;
  }
}
BENCHMARK(FindPosition);

}  // namespace
}  // namespace flarestack::record::runtime

BENCHMARK_MAIN();
