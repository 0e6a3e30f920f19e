// SPDX-License-Identifier: Apache-2.0
#include "codec/csv/csv_writer.h"

#include <gtest/gtest.h>

#include "codec/testing/read_write.h"
#include "codec/testing/test_batch.h"

namespace flarestack::codec::csv {
namespace {

using codec::testing::TestBatch;
using codec::testing::WarningText;
using codec::testing::WriteAll;

model::Batch TwoTypes() {
  TestBatch batch;
  batch.Profile("alloc_objects", "count");
  batch.Sample({{.name = "new"}, {.name = "main"}}, 3);
  batch.Sample({}, 1);
  batch.Profile("alloc_space", "bytes");
  batch.Sample({{.name = "new"}, {.name = "main"}}, 4096);
  batch.Sample({{.name = "a"}}, -7);
  return std::move(batch).Finish();
}

TEST(CsvWriterTest, SampleTypesAreColumnsAndStacksAreRows) {
  EXPECT_EQ(*WriteAll(kCsvWriter, TwoTypes()),
            "stack,alloc_objects/count,alloc_space/bytes\r\n"
            "[no stack],1,0\r\n"
            "a,0,-7\r\n"
            "main;new,3,4096\r\n");
}

TEST(CsvWriterTest, WritesOneSampleTypeOnRequest) {
  EXPECT_EQ(*WriteAll(kCsvWriter, TwoTypes(), {.sample_type = "alloc_space", .title = {}}),
            "stack,alloc_space/bytes\r\n"
            "a,-7\r\n"
            "main;new,4096\r\n");
  EXPECT_EQ(WriteAll(kCsvWriter, TwoTypes(), {.sample_type = "cpu", .title = {}}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CsvWriterTest, QuotesCommasAndQuotes) {
  TestBatch batch;
  batch.Profile("cpu", "ns, \"wall\"");
  batch.Sample({{.name = "f(int, char)"}, {.name = "say \"hi\""}}, 1);
  EXPECT_EQ(*WriteAll(kCsvWriter, std::move(batch).Finish()),
            "stack,\"cpu/ns, \"\"wall\"\"\"\r\n"
            "\"say \"\"hi\"\";f(int, char)\",1\r\n");
}

TEST(CsvWriterTest, EscapesTextThatASpreadsheetWouldRun) {
  TestBatch batch;
  batch.Profile("cpu", "nanoseconds");
  batch.Sample({{.name = "=HYPERLINK(\"x\",\"y\")"}}, 1);
  batch.Sample({{.name = "-[NSString length]"}}, 2);
  base::Warnings warnings;
  EXPECT_EQ(*WriteAll(kCsvWriter, std::move(batch).Finish(),
                      {.sample_type = {}, .title = {}, .warnings = &warnings}),
            "stack,cpu/nanoseconds\r\n"
            "'-[NSString length],2\r\n"
            "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",1\r\n");
  EXPECT_EQ(WarningText(warnings),
            "added ' before text that a spreadsheet would run as a formula (2): "
            "-[NSString length]\n");
}

TEST(CsvWriterTest, BatchWithoutProfilesIsOnlyAHeader) {
  EXPECT_EQ(*WriteAll(kCsvWriter, TestBatch().Finish()), "stack\r\n");
}

}  // namespace
}  // namespace flarestack::codec::csv
