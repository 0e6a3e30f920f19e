// SPDX-License-Identifier: Apache-2.0
//
// Uploads with a fake clock.
#include "server/tenants/scratch_uploads.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/clock.h"
#include "base/compress/compress.h"
#include "base/text/text.h"
#include "store/testing/event_text.h"

namespace flarestack::server {
namespace {

using store::testing::FoldedText;

constexpr uint64_t kNow = 500'000 * base::kNanosPerHour;
constexpr uint64_t kHour = base::kNanosPerHour;
constexpr char kFolded[] = "main;parse 3\nmain;render 4\n";

class ScratchUploadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "scratch_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    Open({});
  }
  void TearDown() override {
    uploads_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Open(ScratchOptions options) {
    uploads_.reset();
    options.directory = directory_ + "/scratch";
    options.room = &room_;
    auto opened = ScratchUploads::Open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.status();
    uploads_ = *std::move(opened);
  }

  absl::StatusOr<std::shared_ptr<const Upload>> Add(std::string bytes, std::string tenant = "a",
                                                    uint64_t now = kNow) {
    return uploads_->Add({.tenant = std::move(tenant),
                          .bytes = std::move(bytes),
                          .lease = nullptr,
                          .now_nanos = now,
                          .life_nanos = kHour});
  }
  std::string AddedId(std::string tenant = "a", uint64_t now = kNow) {
    const auto upload = Add(kFolded, std::move(tenant), now);
    EXPECT_TRUE(upload.ok()) << upload.status();
    return upload.ok() ? (*upload)->id : "";
  }
  bool Has(std::string_view tenant, std::string_view id, uint64_t now = kNow) {
    return uploads_->Find({tenant, id}, now) != nullptr;
  }
  size_t FolderCount() const {
    std::error_code ignored;
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/scratch", ignored))
      count += entry.is_directory() ? 1 : 0;
    return count;
  }

  std::string directory_;
  Room room_;
  std::unique_ptr<ScratchUploads> uploads_;
};

TEST_F(ScratchUploadsTest, StoresTheContentOfAFile) {
  const auto upload = Add(base::Gzip(kFolded));
  ASSERT_TRUE(upload.ok()) << upload.status();
  EXPECT_EQ((*upload)->format, "folded");
  EXPECT_EQ((*upload)->samples, 2u);
  EXPECT_EQ((*upload)->id.size(), 32u);
  EXPECT_EQ((*upload)->expires_nanos, kNow + kHour);
  EXPECT_EQ((*upload)->range.from, kNow) << "a file without times gets the current time";
  EXPECT_EQ(FoldedText(*(*upload)->store->SelectProfiles({.range = (*upload)->range})),
            "main;parse 3\nmain;render 4\n");
}

TEST_F(ScratchUploadsTest, ReserveMemoryBeforeDecompressing) {
  // A few kilobytes compressed, but far more than the budget when decompressed.
  std::string large;
  while (large.size() < (8 << 20))
    large += kFolded;
  for (const std::string& packed : {base::Gzip(large), base::Zstd(large)}) {
    base::ByteBudget budget(4 << 20);
    base::ByteLease lease(&budget);
    ASSERT_TRUE(lease.Grow(packed.size()));
    const auto rejected = uploads_->Add(
        {.tenant = "a", .bytes = packed, .lease = &lease, .now_nanos = kNow, .life_nanos = kHour});
    EXPECT_TRUE(absl::IsResourceExhausted(rejected.status())) << rejected.status();
    EXPECT_GE(budget.rejected_count(), 1u);
    EXPECT_LE(budget.high_water_bytes(), 4u << 20);
  }
  EXPECT_EQ(FolderCount(), 0u);
}

TEST_F(ScratchUploadsTest, RejectDoubleCompression) {
  const auto rejected = Add(base::Gzip(base::Zstd(kFolded)));
  EXPECT_TRUE(absl::IsInvalidArgument(rejected.status())) << rejected.status();
}

TEST_F(ScratchUploadsTest, BelongToTheirTenant) {
  const std::string id = AddedId("a");
  EXPECT_TRUE(Has("a", id));
  EXPECT_FALSE(Has("b", id));
  EXPECT_FALSE(Has("", id));
  EXPECT_FALSE(uploads_->Remove({"b", id}, kNow));
  EXPECT_TRUE(Has("a", id));
  EXPECT_EQ(uploads_->UsageOf("a").uploads, 1u);
  EXPECT_EQ(uploads_->UsageOf("b").uploads, 0u);
}

TEST_F(ScratchUploadsTest, ExpireAfterTheirLifetime) {
  const std::string id = AddedId();
  EXPECT_TRUE(Has("a", id, kNow + kHour - 1));
  EXPECT_FALSE(Has("a", id, kNow + kHour));
  EXPECT_FALSE(uploads_->Remove({"a", id}, kNow + kHour));
  uploads_->RemoveExpired(kNow + kHour - 1);
  EXPECT_EQ(FolderCount(), 1u);
  uploads_->RemoveExpired(kNow + kHour);
  EXPECT_EQ(FolderCount(), 0u);
  EXPECT_EQ(uploads_->UsageOf("a").disk_bytes, 0u);
}

TEST_F(ScratchUploadsTest, StayWhileTheyAreRead) {
  const std::string id = AddedId();
  auto reader = uploads_->Find({"a", id}, kNow);
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(uploads_->Remove({"a", id}, kNow));
  EXPECT_FALSE(Has("a", id));
  EXPECT_EQ(FoldedText(*reader->store->SelectProfiles({})), "main;parse 3\nmain;render 4\n");
  EXPECT_EQ(FolderCount(), 1u);
  reader.reset();
  EXPECT_EQ(FolderCount(), 0u);
}

TEST_F(ScratchUploadsTest, AreEvictedByNewerOnesOfTheirTenant) {
  Open({.uploads_max = 3});
  const std::string first = AddedId("a", kNow);
  const std::string second = AddedId("a", kNow + 1);
  const std::string other = AddedId("b", kNow);
  const std::string third = AddedId("a", kNow + 2);
  EXPECT_FALSE(Has("a", first));
  EXPECT_TRUE(Has("a", second));
  EXPECT_TRUE(Has("a", third));
  EXPECT_TRUE(Has("b", other)) << "uploads of other tenants stay, even if they are older";
  EXPECT_EQ(FolderCount(), 3u);
  EXPECT_EQ(Add(kFolded, "c").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(ScratchUploadsTest, StayWithinTheirByteLimit) {
  Open({.disk_bytes_max = 200 << 10});
  const std::string first = AddedId("a", kNow);
  const std::string second = AddedId("a", kNow + 1);
  EXPECT_TRUE(Has("a", second));
  const uint64_t bytes = uploads_->UsageOf("a").disk_bytes;
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(bytes, 200u << 10);
  EXPECT_EQ(Add(std::string(300 << 10, 'x') + " 1\n").status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Has("a", second)) << "an upload over the limit evicts nothing";
}

TEST_F(ScratchUploadsTest, AreGoneAfterARestart) {
  const std::string id = AddedId();
  std::filesystem::create_directories(directory_ + "/scratch/left-behind");
  Open({});
  EXPECT_FALSE(Has("a", id));
  EXPECT_EQ(FolderCount(), 0u);
}

TEST_F(ScratchUploadsTest, BadFilesLeaveNothingBehind) {
  Open({.input_bytes_max = 1000});
  for (const std::string& bad :
       {std::string(), std::string("\x01\x02 no profile"), std::string("main;parse x\n"),
        base::Gzip("main 1\n").substr(0, 12)}) {
    EXPECT_EQ(Add(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(Add(base::Gzip(std::string(2000, 'a') + " 1\n")).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FolderCount(), 0u);
  EXPECT_EQ(uploads_->UsageOf("a").uploads, 0u);
  const std::string id = AddedId();
  EXPECT_TRUE(Has("a", id));
}

TEST_F(ScratchUploadsTest, AreRejectedWithoutDiskSpaceOrMemory) {
  room_.set_full(true);
  EXPECT_EQ(Add(kFolded).status().code(), absl::StatusCode::kResourceExhausted);
  room_.set_full(false);
  base::ByteBudget budget(10);
  base::ByteLease lease(&budget);
  EXPECT_EQ(uploads_->Add({.tenant = "a", .bytes = kFolded, .lease = &lease, .now_nanos = kNow})
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace flarestack::server
