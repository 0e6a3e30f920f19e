// SPDX-License-Identifier: Apache-2.0
#include "cli/output/query_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/ask/mcp_tables.h"
#include "cli/ask/mcp_tools.h"
#include "cli/ask/query_responses.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;
using Kind = QueryColumn::Kind;

TEST(QueryTableTest, IsReadableForPeopleAndExactForPrograms) {
  QueryTable table({{"when", Kind::kTime},
                    {"took", Kind::kDuration},
                    {"slow", Kind::kMark},
                    {"id", Kind::kText, /*is_for_programs_only=*/true},
                    {"name"}});
  table.Add({"1772366400000000000", 1'500'000, true, "x", "GET /"});
  table.Add({nullptr, 2, false, "y", "a|b"}, 1);
  table.AddNote("... more");
  EXPECT_EQ(table.Text(0, QueryTable::Style::kPlain),
            "when                     took  slow  name\n"
            "2026-03-01T12:00:00Z  1.50 ms  *     GET /\n"
            "                         2 ns          a|b\n"
            "... more\n");
  EXPECT_THAT(table.Text(24, QueryTable::Style::kPlain), HasSubstr("2026-03-01T12:00:00Z  1…\n"));
  EXPECT_EQ(table.In(ReportFormat::kCsv),
            "when,took,slow,id,name\r\n"
            "1772366400000000000,1500000,true,x,GET /\r\n"
            ",2,false,y,a|b\r\n");
  EXPECT_THAT(table.In(ReportFormat::kMarkdown), HasSubstr("| 2 ns |  | a\\|b |\n"));
}

TEST(QueryTableTest, EscapesTerminalCommands) {
  QueryTable table({{"name"}});
  table.set_headline("a\x1b[2Jb");
  table.Add(
      {"c\xc2\x9b"
       "31m d\r\n\xc3\xa9"});
  table.AddNote("e\x07");
  EXPECT_EQ(table.Text(0, QueryTable::Style::kPlain),
            "a\\x1b[2Jb\nname\nc\\x9b31m d\\x0d\\x0a\xc3\xa9\ne\\x07\n");
}

TEST(QueryTableTest, BarsShowKnownValues) {
  EXPECT_EQ(Sparkline(Json::parse("[0,7,null,3.5]"), 10), "▁█ ▄");
  EXPECT_EQ(Sparkline(Json::parse("[0,0]"), 10), "▁▁");
  EXPECT_EQ(Sparkline(Json::parse("[1,2,3,4]"), 2), "▄█");
  EXPECT_EQ(Sparkline(Json::parse("{}"), 10), "");
}

TEST(QueryTableTest, SurvivesMalformedResponses) {
  const auto tables = {ServicesTable, AttributesTable, ValuesTable,  SeriesTable,     TracesTable,
                       TraceTable,    LogsTable,       MetricsTable, MetricTable,     LinksTable,
                       TopTable,      FlameTable,      DiffTable,    RegressionsTable};
  const char* const responses[] = {
      "{}",
      R"({"services":1,"keys":{"a":1},"values":"x","lines":[1,{"values":{"a":1}}],"traces":[[]],
          "records":[null],"metrics":["a"],"links":{"a":{}},"rows":[{"ratio":"x"}]})",
      R"({"from":9223372036854775807,"step_ns":9223372036854775807,"lines":[{"values":[1,1e300]}]})",
      R"({"spans":{"span_id":[1,2,3],"parent":[5,-7,1],"name":[-1,99,"x"]},"names":"x"})",
      R"({"nodes":{"depth":[3,9,-1,2],"frame":[0,-5,77],"self":[[9223372036854775807,1,"x"]]},
          "frames":[{"name":1}],"path":[{},2]})",
  };
  for (const char* response : responses) {
    const Json json = Json::parse(response);
    for (const auto& table : tables) {
      for (const TableFor reader : {TableFor::kPeople, TableFor::kPrograms}) {
        const QueryTable shown = table(json, reader);
        shown.Text(80, QueryTable::Style::kPlain);
        shown.In(ReportFormat::kNdjson);
      }
    }
  }
}

TEST(QueryTableTest, TruncatesTextAtTheEndOfALine) {
  EXPECT_EQ(CutLines("one\ntwo\n", 8), "one\ntwo\n");
  EXPECT_EQ(CutLines("one\ntwo\nthree\n", 9), "one\ntwo\n... 1 more lines\n");
  EXPECT_EQ(CutLines("one\ntwo\n", 2), "... 2 more lines\n");
}

// The units are those of OpenTelemetry's semantic conventions.
TEST(NumberTextTest, FormatsMetricNumbersForPeople) {
  EXPECT_EQ(NumberText(0.0123, "s"), "12.3 ms");
  EXPECT_EQ(NumberText(5400, "s"), "90 min");
  EXPECT_EQ(NumberText(13107200, "By"), "12.5 MiB");
  EXPECT_EQ(NumberText(2048, "KiBy"), "2 MiB");
  EXPECT_EQ(NumberText(1536, "By/s"), "1.50 KiB/s");
  EXPECT_EQ(NumberText(12345, "{request}"), "12,345 request");
  EXPECT_EQ(NumberText(0.25, "1"), "0.25");
  EXPECT_EQ(NumberText(1234567, ""), "1,234,567");
  EXPECT_EQ(NumberText(1e300, "s"), "1e+300 s");
  EXPECT_EQ(NumberText(1e-12, "s"), "1e-12 s");
}

}  // namespace
}  // namespace flarestack::cli
