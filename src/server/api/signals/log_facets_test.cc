// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals/log_facets.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/text.h"

namespace flarestack::server::api {
namespace {

TEST(LogPatternTest, ReplacesNumbersAndIds) {
  EXPECT_EQ(LogPattern("order 17 took 1,234.5 ms"), "order # took # ms");
  EXPECT_EQ(LogPattern("at 10:00:03, 7."), "at #, #.");
  EXPECT_EQ(LogPattern("trace 5b8efff798038103 of web-1"), "trace # of web-#");
  EXPECT_EQ(LogPattern("id=DEADBEEF99"), "id=#");
  EXPECT_EQ(LogPattern("utf8 v2 added"), "utf8 v2 added");
  EXPECT_EQ(LogPattern(""), "");
}

TEST(LogPatternTest, EndsAtACharacterBoundary) {
  const std::string letters(119, 'x');
  EXPECT_EQ(LogPattern(letters + "\xc3\xa4 and more"), letters);
  EXPECT_EQ(LogPattern(letters + "yz"), letters + "y");
}

TEST(LogFacetsTest, CountsUnlistedValuesAsOther) {
  model::LogBatch batch;
  batch.log_records.resize(1003);
  std::vector<std::string> bodies;
  for (size_t i = 0; i < batch.log_records.size(); ++i)
    bodies.push_back("word" + std::string(i % 26 + 1, static_cast<char>('a' + i / 26)));
  for (size_t i = 0; i < bodies.size(); ++i)
    batch.log_records[i].body = model::AnyValue::String(bodies[i]);
  LogFacets facets;
  facets.Add(batch);
  facets.Add(batch);
  const Json patterns = facets.ToJson(2)["patterns"];
  EXPECT_EQ(patterns["values"].size(), 2U);
  EXPECT_EQ(patterns["values"][0]["count"], 2);
  EXPECT_EQ(patterns["other"], 2002);  // 998 counted values and 3 beyond the limit, twice
}

}  // namespace
}  // namespace flarestack::server::api
