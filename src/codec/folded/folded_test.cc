// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/status.h"
#include "codec/folded/folded.h"
#include "codec/format/stack_table.h"
#include "codec/testing/read_write.h"
#include "codec/testing/test_batch.h"
#include "model/sample_type.h"

namespace flarestack::codec::folded {
namespace {

using codec::testing::ReadOne;
using codec::testing::TestBatch;
using codec::testing::WarningText;
using codec::testing::WriteAll;

std::string RoundTrip(const std::string& text, const std::string& sample_type = "") {
  const auto batch = ReadOne(kFoldedReader, text);
  if (!batch.ok()) {
    return batch.status().ToString();
  }
  const auto written = WriteAll(kFoldedWriter, *batch, {.sample_type = sample_type, .title = {}});
  return written.ok() ? *written : written.status().ToString();
}

std::string ReadError(const std::string& text) {
  const auto batch = ReadOne(kFoldedReader, text);
  EXPECT_EQ(batch.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(base::Message(batch.status()));
}

TEST(FoldedTest, SortedDistinctLinesRoundTripByteForByte) {
  const std::string text =
      "[no stack] 5\n"
      "java;Foo.bar_[j];sys_read_[k] 7\n"
      "main;operator new(unsigned long) 3\n"
      "main;run_[i];parse_[1] 12\n"
      "zero;weight 0\n";
  EXPECT_EQ(RoundTrip(text), text);
}

TEST(FoldedTest, AddsEqualStacksAndSortsLines) {
  EXPECT_EQ(RoundTrip("b 1\na;c 2\nb 3\n"), "a;c 2\nb 4\n");
}

TEST(FoldedTest, SkipsCommentsBlankLinesAndWindowsLineEnds) {
  EXPECT_EQ(RoundTrip("# made by hand\r\n\r\n  \na;b 1 \r\n#x 9\na;b 2"), "a;b 3\n");
}

TEST(FoldedTest, ProfileCountsSamplesInFileOrder) {
  const auto batch = ReadOne(kFoldedReader, "z 1\na 2\nz 3\n");
  ASSERT_TRUE(batch.ok()) << batch.status();
  const std::vector<model::SampleTypeView> types = model::ListSampleTypes(*batch);
  ASSERT_EQ(types.size(), 1U);
  EXPECT_EQ(types[0].type, "samples");
  EXPECT_EQ(types[0].unit, "count");
  ASSERT_EQ(batch->samples.size(), 2U);
  EXPECT_EQ(batch->values, (std::vector<int64_t>{4, 2}));
}

TEST(FoldedTest, KernelSuffixSetsTheFrameType) {
  const auto batch = ReadOne(kFoldedReader, "main;read_[k] 1\n");
  ASSERT_TRUE(batch.ok()) << batch.status();
  const model::Dictionary& dictionary = batch->dictionary;
  const auto stack = model::In(dictionary.location_indices, dictionary.stacks[1].locations);
  const model::Location& leaf = dictionary.locations[stack[0].value];
  ASSERT_EQ(leaf.attributes.count, 1U);
  const auto index = model::In(dictionary.attribute_indices, leaf.attributes)[0];
  const model::Attribute& attribute = dictionary.attributes[index.value];
  EXPECT_EQ(dictionary.Text(attribute.key), "profile.frame.type");
  EXPECT_EQ(dictionary.String(attribute.value), "kernel");
  EXPECT_TRUE(dictionary.locations[stack[1].value].attributes.empty());
}

TEST(FoldedTest, RoundsFractionsWithAWarning) {
  base::Warnings warnings;
  const auto batch = ReadOne(kFoldedReader, "a 1.5\nb 2.49\nc 3.0\nd .7\n", &warnings);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->values, (std::vector<int64_t>{2, 2, 3, 1}));
  EXPECT_EQ(WarningText(warnings), "value rounded to a whole number (3): 1.5\n");
}

TEST(FoldedTest, ReportsBadValuesWithTheirLine) {
  EXPECT_EQ(ReadError("a 1\n\nmain;run\n"),
            "line 3: expected a value after the last space, found \"main;run\"");
  EXPECT_EQ(ReadError("a b\n"), "line 1: expected a value after the last space, found \"b\"");
  EXPECT_EQ(ReadError("a 1e3\n"), "line 1: expected a value after the last space, found \"1e3\"");
  EXPECT_EQ(ReadError("# c\na -4\n"), "line 2: value -4 is negative");
  EXPECT_EQ(ReadError("a 9223372036854775808\n"),
            "line 1: value 9223372036854775808 does not fit into 63 bits");
  EXPECT_EQ(ReadError("a 9223372036854775807.5\n"),
            "line 1: value 9223372036854775807.5 does not fit into 63 bits");
  EXPECT_EQ(ReadError("a 9223372036854775807\nb 1\na 1\n"),
            "line 3: the sum of this stack does not fit into 63 bits");
}

TEST(FoldedTest, TwoNumbersOnEachLineAreBeforeAndAfter) {
  const std::string text = "main;new 0 5\n# comment\nmain;old 3 0\n[no stack] 1 2\n";
  EXPECT_EQ(RoundTrip(text, "before"), "[no stack] 1\nmain;new 0\nmain;old 3\n");
  EXPECT_EQ(RoundTrip(text, "after/count"), "[no stack] 2\nmain;new 5\nmain;old 0\n");
}

TEST(FoldedTest, FirstOfTwoNumbersOnSomeLinesIsPartOfTheName) {
  EXPECT_EQ(RoundTrip("python 3 5\nmain 1\n"), "main 1\npython 3 5\n");
}

TEST(FoldedTest, MarksFilesThatLookDifferentialButAreNot) {
  TestBatch batch;
  batch.Profile("samples", "count");
  batch.Sample({{.name = "worker 1"}}, 5);
  batch.Sample({{.name = "worker 2"}}, 6);
  const auto written = WriteAll(kFoldedWriter, std::move(batch).Finish());
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, "# values: 1\nworker 1 5\nworker 2 6\n");
  EXPECT_EQ(RoundTrip(*written), *written);
}

TEST(FoldedTest, ReplacesEmptyAndInvalidNamesWithAWarning) {
  base::Warnings warnings;
  const auto batch = ReadOne(kFoldedReader,
                             "a;;\xff"
                             "b 1\n",
                             &warnings);
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto written = WriteAll(kFoldedWriter, *batch);
  EXPECT_EQ(*written,
            "a;[unknown];\xEF\xBF\xBD"
            "b 1\n");
  EXPECT_EQ(warnings.kinds().size(), 2U);
}

TEST(FoldedTest, ChangesNamesThatWouldBreakTheLineWithAWarning) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "Lcom/Foo;run"}, {.name = "two\nlines"}}, 5);
  batch.Sample({{.name = "#hash"}}, 1);
  base::Warnings warnings;
  const auto written = WriteAll(kFoldedWriter, std::move(batch).Finish(),
                                {.sample_type = {}, .title = {}, .warnings = &warnings});
  EXPECT_EQ(*written, " #hash 1\ntwo lines;Lcom/Foo:run 5\n");
  EXPECT_EQ(WarningText(warnings),
            "added a space before a stack that begins with `#` (1): #hash\n"
            "frame name changed: it contained `;` or a line break (2): two lines\n");
}

TEST(FoldedTest, InlinedFunctionsAndBareAddressesAreFrames) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  const auto leaf = batch.Location({{.name = "inner"}, {.name = "outer"}});
  const auto bare = batch.Location({{.module = "/usr/lib/libc.so.6", .address = 0x1234}});
  batch.SampleAt({leaf, bare}, 5);
  EXPECT_EQ(*WriteAll(kFoldedWriter, std::move(batch).Finish()),
            "libc.so.6!0x1234;outer;inner 5\n");
}

TEST(FoldedTest, UnknownSampleTypeIsNotFound) {
  EXPECT_EQ(RoundTrip("a 1\n", "heap"),
            "NOT_FOUND: no sample type \"heap\"; available: samples/count");
}

TEST(FoldedTest, HundredThousandFramesRoundTrip) {
  std::string text = "f";
  for (int i = 1; i < 100'000; ++i) {
    text.append(";f");
  }
  text.append(" 1\n");
  EXPECT_EQ(RoundTrip(text), text);
}

TEST(FoldedTest, RejectsTextOverTheLimit) {
  const auto batch = ReadOne(kFoldedReader, "aaaa;bbbb 1\n");
  base::Warnings warnings;
  const std::vector<model::SampleTypeView> types = model::ListSampleTypes(*batch);
  EXPECT_EQ(
      StackTable::Make(*batch, types, {.bytes_max = 9, .warnings = &warnings}).status().code(),
      absl::StatusCode::kResourceExhausted);
}

TEST(FoldedTest, RecognisesTextWhoseFirstLineEndsInANumber) {
  EXPECT_TRUE(kFoldedReader.recognises("# x\n\nmain;run 12\nwhatever"));
  EXPECT_TRUE(kFoldedReader.recognises("main 1.5"));
  EXPECT_FALSE(kFoldedReader.recognises(""));
  EXPECT_FALSE(kFoldedReader.recognises("main;run\n"));
  EXPECT_FALSE(kFoldedReader.recognises("{\"a\": 12}"));
  EXPECT_FALSE(kFoldedReader.recognises("main\xff 12\n"));
  EXPECT_FALSE(kFoldedReader.recognises(std::string_view("ma\0in 12\n", 9)));
}

}  // namespace
}  // namespace flarestack::codec::folded
