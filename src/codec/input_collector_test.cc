// SPDX-License-Identifier: Apache-2.0
#include "codec/input_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/compress/compress.h"
#include "codec/otlp/split.h"
#include "codec/registry.h"
#include "codec/testing/read_write.h"

namespace flarestack::codec {
namespace {

// The text converted to OTLP.
std::string AsOtlp(std::string_view folded) {
  const auto batch = testing::ReadOne(*FindReader(folded), folded);
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *testing::WriteAll(*FindWriter("otlp"), *batch);
}

std::string Framed(std::string_view message) {
  std::string out;
  otlp::AppendFrame(message, &out);
  return out;
}

std::string ReadBack(const std::vector<std::string>& inputs) {
  base::Warnings warnings;
  InputCollector collector({}, &warnings);
  for (const std::string& input : inputs) {
    const auto info = collector.Add(input);
    if (!info.ok())
      return info.status().ToString();
  }
  const auto batch = collector.Finish();
  return batch.ok() ? *testing::WriteAll(*FindWriter("folded"), **batch)
                    : batch.status().ToString();
}

// The first four bytes of a bare message can be read as a length, and the following bytes can then
// look like a message. Detection must work for every message length.
TEST(InputTest, BareMessageIsNeverMistakenForAFramedOne) {
  std::string stack = "root";
  for (int frames = 1; frames < 3000; ++frames) {
    stack += ";f";
    const std::string message = AsOtlp(stack + " 7\n");
    ASSERT_EQ(FindReader(message)->name, "otlp") << frames << " frames";
    ASSERT_EQ(FindReader(Framed(message))->name, "otlp-framed") << frames << " frames";
  }
}

TEST(InputTest, MergesTheFramesOfAFile) {
  EXPECT_EQ(ReadBack({Framed(AsOtlp("main 1\n")) + Framed(AsOtlp("main 2\nrun 3\n"))}),
            "main 3\nrun 3\n");
}

// The writer was killed while writing. However little is left of the last message, the earlier
// messages are read and the missing one is reported.
TEST(InputTest, ReadsFramesBeforeATruncatedOne) {
  const std::string first = Framed(AsOtlp("main 1\n"));
  const std::string both = first + Framed(AsOtlp("main 2\nrun 3\n"));
  for (size_t bytes = first.size() + 1; bytes < both.size(); ++bytes) {
    base::Warnings warnings;
    InputCollector collector({}, &warnings);
    ASSERT_TRUE(collector.Add(both.substr(0, bytes)).ok()) << bytes;
    const auto batch = collector.Finish();
    ASSERT_TRUE(batch.ok());
    EXPECT_EQ(*testing::WriteAll(*FindWriter("folded"), **batch), "main 1\n") << bytes;
    EXPECT_EQ(warnings.kinds().count("the last message is truncated and was skipped"), 1U);
  }
  EXPECT_THAT(ReadBack({first.substr(0, first.size() - 1)}),
              ::testing::HasSubstr("left in the file"));
}

std::string AsJson(std::string_view folded) {
  const auto batch = testing::ReadOne(*FindReader(folded), folded);
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *testing::WriteAll(*FindWriter("otlp-json"), *batch);
}

// The Collector's file exporter with `compression: zstd` compresses each message separately.
TEST(InputTest, ReadsIndividuallyCompressedMessages) {
  EXPECT_EQ(ReadBack({Framed(base::Zstd(AsOtlp("main 1\n"))) +
                      Framed(base::Zstd(AsOtlp("main 2\nrun 3\n")))}),
            "main 3\nrun 3\n");
  EXPECT_EQ(ReadBack({Framed(base::Zstd(AsJson("main 1\n"))) +
                      Framed(base::Zstd(AsJson("main 2\nrun 3\n")))}),
            "main 3\nrun 3\n");
  EXPECT_EQ(ReadBack({Framed(AsJson("main 1\n")) + Framed(AsOtlp("main 2\n"))}), "main 3\n");
}

TEST(InputTest, ReadsCompressedMessagesBeforeATruncatedOne) {
  const std::string first = Framed(base::Zstd(AsOtlp("main 1\n")));
  const std::string both = first + Framed(base::Zstd(AsOtlp("main 2\nrun 3\n")));
  for (size_t bytes = first.size() + 1; bytes < both.size(); ++bytes) {
    base::Warnings warnings;
    InputCollector collector({}, &warnings);
    ASSERT_TRUE(collector.Add(both.substr(0, bytes)).ok()) << bytes;
    EXPECT_EQ(warnings.kinds().count("the last message is truncated and was skipped"), 1U);
  }
  EXPECT_THAT(ReadBack({first.substr(0, first.size() - 1)}),
              ::testing::HasSubstr("left in the file"));
}

TEST(InputTest, LimitAppliesToAllCompressedMessagesTogether) {
  const std::string message = AsOtlp("main 1\n");
  const std::string packed = Framed(base::Zstd(message)) + Framed(base::Zstd(message));
  const uint64_t needed = 2 * (message.size() + otlp::kFrameHeaderBytes);
  base::Warnings warnings;
  EXPECT_TRUE(InputCollector({.bytes_max = needed}, &warnings).Add(packed).ok());
  const auto rejected = InputCollector({.bytes_max = needed - 1}, &warnings).Add(packed);
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(rejected.status().message()),
              ::testing::HasSubstr(std::to_string(needed - 1)));
}

// Four bytes of text before a brace do not form a valid length.
TEST(InputTest, TextWithABraceIsNotMistakenForAFrame) {
  EXPECT_EQ(FindReader("main{lambda} 3\n")->name, "folded");
  EXPECT_EQ(FindReader(Framed(AsJson("main 1\n")))->name, "otlp-framed");
}

TEST(InputTest, ExplicitFormatSkipsDetection) {
  // A thread, a time and an event: a perf script sample, which is also valid folded text.
  const std::string text = "main 12 1.5: cycles: 7\n";
  ASSERT_EQ(FindReader(text)->name, "perf-script");
  base::Warnings warnings;
  InputCollector collector({.reader = FindReaderByName("folded")}, &warnings);
  const auto info = collector.Add(text);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->format, "folded");
  EXPECT_EQ(FindReaderByName("frobnicate"), nullptr);
}

TEST(InputTest, WrongExplicitFormatIsAnError) {
  for (const Reader* reader : Readers()) {
    if (reader->name == "folded")
      continue;
    base::Warnings warnings;
    InputCollector collector({.reader = reader}, &warnings);
    const auto info = collector.Add("main;run 3\n");
    EXPECT_FALSE(info.ok()) << reader->name;
    EXPECT_THAT(std::string(info.status().message()),
                ::testing::StartsWith(std::string(reader->name)));
  }
}

TEST(InputTest, MergesInputsOfDifferentFormats) {
  EXPECT_EQ(ReadBack({"main 1\n", AsOtlp("main 2\n"), base::Gzip("main 3\n"),
                      base::Zstd(Framed(AsOtlp("main 4\n")))}),
            "main 10\n");
}

TEST(InputTest, ReportsFormatCompressionAndSize) {
  base::Warnings warnings;
  InputCollector collector({}, &warnings);
  const auto info = collector.Add(base::Zstd("main 1\n"));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->format, "folded");
  EXPECT_EQ(info->compression, "zstd");
  EXPECT_EQ(info->bytes, 7U);
}

TEST(InputTest, EmptyInputIsNotAProfile) {
  base::Warnings warnings;
  InputCollector collector({}, &warnings);
  EXPECT_FALSE(collector.Finish().ok());
  EXPECT_FALSE(collector.Add("").ok());
  EXPECT_FALSE(collector.Add(base::Gzip(base::Gzip("main 1\n"))).ok());
}

TEST(InputTest, LimitAppliesToDecompressedBytes) {
  base::Warnings warnings;
  InputCollector collector({.bytes_max = 7}, &warnings);
  EXPECT_TRUE(collector.Add(base::Gzip("main 1\n")).ok());
  EXPECT_EQ(collector.Add(base::Gzip("main 12\n")).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(RegistryTest, WriterWithTheLongestMatchingExtensionWins) {
  const auto name = [](std::string_view path) -> std::string_view {
    const Writer* writer = FindWriterForPath(path);
    return writer == nullptr ? "none" : writer->name;
  };
  EXPECT_EQ(name("a.speedscope.json"), "speedscope");
  EXPECT_EQ(name("a.json"), "otlp-json");
  EXPECT_EQ(name("a.json.gz"), "otlp-json");
  EXPECT_EQ(name("a.folded.zst"), "folded");
  EXPECT_EQ(name("a.pb.gz"), "pprof");
  EXPECT_EQ(name("folder.svg/a"), "none");
  EXPECT_EQ(name(".svg"), "none");
  EXPECT_EQ(name("a.gz"), "none");
  EXPECT_EQ(name(""), "none");
}

}  // namespace
}  // namespace flarestack::codec
