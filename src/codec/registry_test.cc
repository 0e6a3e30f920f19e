// SPDX-License-Identifier: Apache-2.0
#include "codec/registry.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/encoding.h"

namespace flarestack::codec {
namespace {

std::string ReaderOf(std::string_view bytes) {
  const Reader* reader = FindReader(bytes);
  return reader == nullptr ? "none" : std::string(reader->name);
}

std::string WriterOf(std::string_view path) {
  const Writer* writer = FindWriterForPath(path);
  return writer == nullptr ? "none" : std::string(writer->name);
}

TEST(RegistryTest, RecognisesFormatsByTheirContent) {
  EXPECT_EQ(ReaderOf("main;a 1\n"), "folded");
  EXPECT_EQ(ReaderOf("{\"resourceProfiles\":[]}"), "otlp-json");
  EXPECT_EQ(ReaderOf("heap profile: 1: 2 [3: 4] @ heap_v2/512\n"), "pprof-legacy");
  EXPECT_EQ(ReaderOf("nothing of the kind"), "none");
}

TEST(RegistryTest, PprofWithAnUnnamedSampleTypeIsNotMistakenForOtlp) {
  // sample_type {}, a sample, a location, string_table [""]
  EXPECT_EQ(ReaderOf(*base::HexDecode("0a0012060a01011201032204080118103200")), "pprof");
}

TEST(RegistryTest, LongestExtensionWins) {
  EXPECT_EQ(WriterOf("a.json"), "otlp-json");
  EXPECT_EQ(WriterOf("a.speedscope.json"), "speedscope");
  EXPECT_EQ(WriterOf("a.pb.gz"), "pprof");
  EXPECT_EQ(WriterOf("a.otlp.zst"), "otlp");
  EXPECT_EQ(WriterOf("a.unknown"), "none");
  EXPECT_EQ(WriterOf(".otlp"), "none");
}

}  // namespace
}  // namespace flarestack::codec
