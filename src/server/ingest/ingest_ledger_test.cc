// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/ingest_ledger.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "model/signal.h"

namespace flarestack::server {
namespace {

using model::Signal;

TEST(IngestLedgerTest, CountsBySignalAndSender) {
  IngestLedger ledger;
  ledger.Note({.peer = "10.0.0.1:4000",
               .time_nanos = 5,
               .bytes = 100,
               .items = 3,
               .services = {"cart", "shop"}});
  ledger.Note({.peer = "10.0.0.1:4001", .time_nanos = 7, .bytes = 10, .error = "truncated"});
  ledger.Note({.peer = "[::1]:9", .signal = Signal::kLogs, .time_nanos = 6, .rejected = 2});
  const IngestReport report = ledger.ReportFor("");
  EXPECT_EQ(report.of(Signal::kProfiles).requests, 2u);
  EXPECT_EQ(report.of(Signal::kProfiles).failed, 1u);
  EXPECT_EQ(report.of(Signal::kProfiles).items, 3u);
  EXPECT_EQ(report.of(Signal::kProfiles).bytes, 110u);
  EXPECT_EQ(report.of(Signal::kProfiles).last_nanos, 5u);
  EXPECT_EQ(report.of(Signal::kLogs).rejected, 2u);
  EXPECT_EQ(report.of(Signal::kLogs).last_nanos, 0u) << "all of it was rejected";
  std::string senders;
  for (const SenderTotals& sender : report.senders)
    base::StrAppend(&senders, sender.host, " ", sender.service, " ", sender.requests, " ",
                    sender.last_error, "\n");
  EXPECT_EQ(senders, "10.0.0.1  1 truncated\n[::1]  1 \n10.0.0.1 cart 1 \n10.0.0.1 shop 1 \n");
}

TEST(IngestLedgerTest, TenantsSeeOnlyTheirOwnSenders) {
  IngestLedger ledger({.tenants_max = 2});
  ledger.Note({.tenant = "a", .peer = "h:1", .items = 1});
  ledger.Note({.tenant = "b", .peer = "h:1", .items = 2});
  ledger.Note({.tenant = "c", .peer = "h:1", .items = 3});
  EXPECT_EQ(ledger.ReportFor("a").of(Signal::kProfiles).items, 1u);
  EXPECT_EQ(ledger.ReportFor("b").of(Signal::kProfiles).items, 2u);
  EXPECT_TRUE(ledger.ReportFor("c").senders.empty()) << "beyond the limit";
  EXPECT_TRUE(ledger.ReportFor("").senders.empty());
}

TEST(IngestLedgerTest, EvictsTheMostSilentSenderAtTheLimit) {
  IngestLedger ledger({.senders_max = 2, .text_bytes_max = 4});
  for (uint64_t i = 0; i < 5; ++i)
    ledger.Note({.peer = "h:1", .time_nanos = i, .services = {base::StrCat("s", i, "-long name")}});
  const IngestReport report = ledger.ReportFor("");
  ASSERT_EQ(report.senders.size(), 2u);
  EXPECT_EQ(report.senders[0].service, "s4-l");
  EXPECT_EQ(report.senders[1].service, "s3-l");
  EXPECT_EQ(report.senders_forgotten, 3u);
}

}  // namespace
}  // namespace flarestack::server
