// SPDX-License-Identifier: Apache-2.0
//
// Full disks: a file system without space, and files that must not grow. Acknowledged data is
// neither lost nor duplicated, the server does not crash, and it resumes automatically when there
// is space again.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "codec/otlp/export_response.h"
#include "net/grpc/grpc_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

constexpr size_t kPadding = 100 << 10;

// A tmpfs of a fixed size.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }
  ~SmallDisk() {
    if (is_mounted_)
      umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Returns false if this process may not mount; `why()` has the reason.
  bool Mount(int mebibytes) { return Call(mebibytes, is_mounted_ ? MS_REMOUNT : 0); }
  const std::string& why() const { return why_; }

 private:
  bool Call(int mebibytes, unsigned long flags) {
    const std::string options = base::StrCat("size=", mebibytes, "m");
    if (mount("tmpfs", path_.c_str(), "tmpfs", flags, options.c_str()) != 0) {
      why_ = base::StrCat("mount: ", std::strerror(errno));
      return false;
    }
    is_mounted_ = true;
    return true;
  }

  const std::string path_;
  std::string why_;
  bool is_mounted_ = false;
};

class DiskTest : public ::testing::Test {
 protected:
  void Start(std::optional<uint64_t> file_bytes_max = std::nullopt) {
    server_.reset();
    server_ = std::make_unique<ServerProcess>(
        data_, std::vector<std::string>{"--disk-reserve", "0", "--memory-limit", "64MiB"},
        file_bytes_max);
  }

  // Returns true if acknowledged. A rejected message must be retryable.
  bool SendNumbered(uint64_t number, size_t padding) {
    const Answer response = Send({.url = server_->otlp_http() + "/v1/profiles",
                                  .body = NumberedMessage(number, time_, padding)});
    if (response.status == 200) {
      acknowledged_.insert(number);
      return true;
    }
    has_gone_ = response.status == 0;
    EXPECT_TRUE(response.status == 429 || response.status == 503)
        << response.status << " " << response.body << server_->log();
    EXPECT_NE(response.retry_after, "");
    return false;
  }

  // Sends until `rejections` messages in a row are rejected.
  void FillUp(int rejections) {
    for (int rejected = 0; rejected < rejections && !has_gone_; ++next_)
      rejected = SendNumbered(next_, kPadding) ? 0 : rejected + 1;
  }

  // Sends until `rejections` messages are rejected. They need not be in a row: the store may
  // recover from a failed write at once, with a new file.
  void MeetFailures(int rejections) {
    for (int rejected = 0; rejected < rejections && !has_gone_; ++next_)
      rejected += SendNumbered(next_, kPadding) ? 0 : 1;
  }

  // RocksDB cannot recover from some failures; the store then reopens automatically.
  void AwaitTaken() {
    ASSERT_TRUE(base::testing::Eventually([&] { return SendNumbered(next_++, 0) || has_gone_; }));
    RecordProperty(
        "reopenings",
        static_cast<int>(server_->Metric("flarestack_store_reopenings_total{result=\"ok\"}")));
  }

  void ExpectAcknowledgedOnce() {
    const std::map<uint64_t, int> counts = NumberedCounts(*server_);
    for (const uint64_t number : acknowledged_)
      EXPECT_EQ(counts.contains(number) ? counts.at(number) : 0, 1) << number;
    for (const auto& [number, count] : counts)
      EXPECT_EQ(count, 1) << number;
  }

  const uint64_t time_ = base::NowNanos();
  const TemporaryFolder folder_;
  const std::string data_ = folder_.File("data");
  std::unique_ptr<ServerProcess> server_;
  uint64_t next_ = 0;
  bool has_gone_ = false;  // the server
  std::set<uint64_t> acknowledged_;
};

TEST_F(DiskTest, RejectsDataOnAFullDiskAndResumesAutomatically) {
  SmallDisk disk(data_);
  if (!disk.Mount(12))
    GTEST_SKIP() << "cannot create a small file system: " << disk.why();
  Start();
  ASSERT_TRUE(server_->is_running()) << server_->log();
  FillUp(5);
  EXPECT_FALSE(acknowledged_.empty());
  auto client = net::GrpcClient::Create({.target = server_->otlp_grpc()});
  const net::GrpcResult by_grpc =
      (*client)->Call(kProfilesMethod, NumberedMessage(next_++, time_, kPadding));
  EXPECT_EQ(by_grpc.code, absl::StatusCode::kResourceExhausted) << by_grpc.error_message;
  const auto details =
      codec::otlp::DecodeRpcStatus(by_grpc.error_details, codec::otlp::Encoding::kProtobuf);
  ASSERT_TRUE(details.ok());
  EXPECT_TRUE(details->retry_delay.has_value());
  ExpectAcknowledgedOnce();  // reads still work

  ASSERT_TRUE(disk.Mount(64)) << disk.why();
  AwaitTaken();
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(SendNumbered(next_++, kPadding));
  ExpectAcknowledgedOnce();
  server_->Kill();
  Start();
  ASSERT_TRUE(server_->is_running()) << server_->log();
  ExpectAcknowledgedOnce();
}

TEST_F(DiskTest, FullDiskAndAKillLoseNothing) {
  SmallDisk disk(data_);
  int mebibytes = 8;
  if (!disk.Mount(mebibytes))
    GTEST_SKIP() << "cannot create a small file system: " << disk.why();
  for (int round = 0; round < 4; ++round) {
    Start();
    ASSERT_TRUE(server_->is_running()) << server_->log();
    ExpectAcknowledgedOnce();
    FillUp(3 + round);
    server_->Kill();
    // Without space for a log the server may fail to start, and must report it.
    Start();
    if (server_->is_running()) {
      ExpectAcknowledgedOnce();
    } else {
      EXPECT_NE(server_->log().find("cannot start"), std::string::npos) << server_->log();
    }
    mebibytes += 8;
    ASSERT_TRUE(disk.Mount(mebibytes)) << disk.why();
  }
  Start();
  ASSERT_TRUE(server_->is_running()) << server_->log();
  ExpectAcknowledgedOnce();
}

TEST_F(DiskTest, ResumesAfterTemporaryWriteFailures) {
  Start(uint64_t{2} << 20);
  ASSERT_TRUE(server_->is_running()) << server_->log();
  MeetFailures(5);
  ExpectAcknowledgedOnce();
  server_->AllowLargeFiles();
  AwaitTaken();
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(SendNumbered(next_++, kPadding));
  ExpectAcknowledgedOnce();
  server_->Kill();
  Start();
  ASSERT_TRUE(server_->is_running()) << server_->log();
  ExpectAcknowledgedOnce();
}

TEST_F(DiskTest, FailingWritesAndAKillLoseNothing) {
  for (int round = 0; round < 4; ++round) {
    Start(uint64_t{2} << 20);
    if (!server_->is_running()) {  // the content of the log does not fit into one file
      EXPECT_NE(server_->log().find("cannot start"), std::string::npos) << server_->log();
      Start();
      ASSERT_TRUE(server_->is_running()) << server_->log();
      ExpectAcknowledgedOnce();
      server_->Kill();
      continue;
    }
    ExpectAcknowledgedOnce();
    MeetFailures(3 + round);
    ExpectAcknowledgedOnce();
    server_->Kill();
  }
  EXPECT_FALSE(acknowledged_.empty());
  Start();
  ASSERT_TRUE(server_->is_running()) << server_->log();
  ExpectAcknowledgedOnce();
  EXPECT_TRUE(SendNumbered(next_++, kPadding));
}

}  // namespace
}  // namespace flarestack::testing
