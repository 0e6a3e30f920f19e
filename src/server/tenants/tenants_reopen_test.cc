// SPDX-License-Identifier: Apache-2.0
//
// The store of one tenant reopens after a failure: the other tenants keep working, and the
// reopening is counted and logged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/eventually.h"
#include "server/tenants/tenants.h"
#include "store/rocks/testing/failing_files.h"
#include "store/testing/event_text.h"

namespace flarestack::server {
namespace {

using store::SignalTimes;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = 500'000 * kHour;

class TenantsReopenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "tenants_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    store::RocksStoreOptions store_options;
    store_options.sync_each_commit = false;
    store_options.files = lists_.files();
    auto tenants = Tenants::Open({.directory = directory_,
                                  .is_on = true,
                                  .store = std::move(store_options),
                                  .counters = &counters_,
                                  .log = &log_});
    ASSERT_TRUE(tenants.ok()) << tenants.status();
    tenants_ = *std::move(tenants);
  }
  void TearDown() override {
    tenants_.reset();
    std::filesystem::remove_all(directory_);
  }

  store::Store& StoreOf(const std::string& tenant) { return *tenants_->ForWriting(tenant)->store; }
  absl::Status Append(const std::string& tenant) {
    return StoreOf(tenant)
        .AppendProfiles(store::testing::MakeBatch({{.time = kStart, .lines = {"f 1"}}}))
        .status();
  }

  std::string directory_;
  store::testing::FailingFiles lists_;
  base::Counters counters_;
  base::EventLog log_{{.write = [](std::string_view /*line*/) {}}};
  std::unique_ptr<Tenants> tenants_;
};

TEST_F(TenantsReopenTest, OtherTenantsContinueAndAttemptsAreCounted) {
  EXPECT_TRUE(Append("broken").ok());
  EXPECT_TRUE(Append("other").ok());
  EXPECT_THAT(counters_.Text(), Not(HasSubstr("reopenings")));

  lists_.set_fails(true);
  EXPECT_FALSE(StoreOf("broken").BytesByHour().ok());
  while (counters_.Text().find("flarestack_store_reopenings_total{result=\"failed\"}") ==
         std::string::npos) {
    EXPECT_FALSE(Append("broken").ok());
  }
  EXPECT_TRUE(absl::IsUnavailable(StoreOf("broken").Stats().status()));
  EXPECT_TRUE(Append("other").ok());

  lists_.set_fails(false);
  ASSERT_TRUE(base::testing::Eventually([&] { return Append("broken").ok(); }));
  const std::string reopened = "flarestack_store_reopenings_total{result=\"ok\"} 1";
  // Counted shortly after it is open.
  EXPECT_TRUE(base::testing::Eventually(
      [&] { return counters_.Text().find(reopened) != std::string::npos; }));
}

}  // namespace
}  // namespace flarestack::server
