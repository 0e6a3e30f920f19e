// SPDX-License-Identifier: Apache-2.0
#include "server/api/health/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/text/text.h"

namespace flarestack::server::api {
namespace {

using base::kNanosPerMinute;
using ::testing::HasSubstr;

constexpr uint64_t kNow = 500'000 * base::kNanosPerHour;

// A server that has run for an hour and received a profile a minute ago.
HealthFacts WellFacts() {
  HealthFacts facts;
  facts.now_nanos = kNow;
  facts.started_nanos = kNow - 60 * kNanosPerMinute;
  facts.ingest.signals[0] = {.requests = 1, .items = 5, .last_nanos = kNow - kNanosPerMinute};
  return facts;
}

std::string Codes(const HealthFacts& facts) {
  std::string codes;
  for (const Problem& problem : FindProblems(facts))
    base::StrAppend(&codes, codes.empty() ? "" : " ", problem.code);
  return codes;
}

TEST(HealthTest, ReportsNoProblemsIfAllIsWell) {
  EXPECT_EQ(Codes(WellFacts()), "");
  EXPECT_EQ(HealthJson(WellFacts())["status"], "ok");
}

TEST(HealthTest, ReportsSilence) {
  HealthFacts facts = WellFacts();
  facts.now_nanos += 25 * kNanosPerMinute;
  EXPECT_EQ(Codes(facts), "profiles_stopped");
  EXPECT_EQ(FindProblems(facts)[0].message,
            "no profiles received in the last 10 minutes; the last one arrived 26 minutes ago");
  EXPECT_EQ(HealthJson(facts)["status"], "warning");

  facts.ingest.signals[0] = {};
  EXPECT_EQ(Codes(facts), "nothing_received");
  EXPECT_EQ(HealthJson(facts)["status"], "warning");
  facts.now_nanos = facts.started_nanos + kNanosPerMinute;
  EXPECT_EQ(Codes(facts), "nothing_received");
  EXPECT_EQ(HealthJson(facts)["status"], "ok") << "the server has just started";

  facts.ingest.signals[1].last_nanos = kNow;
  EXPECT_EQ(Codes(facts), "no_profiles");
}

TEST(HealthTest, ReportsStoreProblems) {
  HealthFacts facts = WellFacts();
  facts.disk_bytes_max = 1000;
  facts.store.disk_bytes = 899;
  facts.series_max = 10;
  facts.store.series = 8;
  EXPECT_EQ(Codes(facts), "");
  facts.store.disk_bytes = 900;
  facts.store.series = 9;
  EXPECT_EQ(Codes(facts), "series_limit disk_limit");
  facts.is_full = true;
  EXPECT_EQ(Codes(facts), "disk_full series_limit");
  EXPECT_EQ(HealthJson(facts)["store"]["state"], "full");
  EXPECT_EQ(HealthJson(facts)["status"], "error");
  facts = WellFacts();
  facts.store_status = absl::UnavailableError("it is being reopened");
  facts.reopen_failed = 2;
  EXPECT_EQ(Codes(facts), "store_unavailable store_reopen_failed");
  EXPECT_EQ(HealthJson(facts)["store"]["state"], "unavailable");
  facts.store_status = absl::OkStatus();
  EXPECT_EQ(Codes(facts), "") << "the store has recovered";
  facts.housekeeping_failed = 1;
  EXPECT_EQ(Codes(facts), "housekeeping_failed");
}

TEST(HealthTest, ReportsDropsWithAFix) {
  HealthFacts facts = WellFacts();
  facts.drops = {{.what = "items", .signal = "profiles", .reason = "series_limit", .count = 3},
                 {.what = "requests", .port = "otlp_http", .reason = "credentials", .count = 2},
                 {.what = "hours", .reason = "disk_limit", .count = 4},
                 {.what = "hours", .reason = "retention", .count = 9},
                 {.what = "requests", .port = "api", .reason = "no_route", .count = 1},
                 {.what = "items", .signal = "traces", .reason = "shape", .count = 0}};
  const std::vector<Problem> problems = FindProblems(facts);
  ASSERT_EQ(Codes(facts), "dropped dropped removed");
  EXPECT_THAT(problems[0].message, HasSubstr("3 items of profiles"));
  EXPECT_THAT(problems[0].advice, HasSubstr("--max-series"));
  EXPECT_THAT(problems[1].message, HasSubstr("2 requests at the port otlp_http"));
  EXPECT_THAT(problems[1].advice, HasSubstr("token"));
  EXPECT_THAT(problems[2].message, HasSubstr("4 hours of the oldest data were deleted"));
  EXPECT_EQ(HealthJson(facts)["drops"].size(), 6u);
}

TEST(HealthTest, ReportsSendersWithOnlyFailedRequests) {
  HealthFacts facts = WellFacts();
  facts.ingest.senders = {
      {.host = "10.0.0.1", .requests = 3, .failed = 3, .last_error = "truncated"},
      {.host = "10.0.0.2", .service = "cart", .requests = 3, .failed = 2, .last_error = "later"}};
  ASSERT_EQ(Codes(facts), "sender_failing");
  EXPECT_EQ(FindProblems(facts)[0].message,
            "all 3 requests of 10.0.0.1 failed; last error: truncated");
}

}  // namespace
}  // namespace flarestack::server::api
