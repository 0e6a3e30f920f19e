// SPDX-License-Identifier: Apache-2.0
#include "symbol/sources/uploads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/status.h"
#include "base/text/encoding.h"
#include "elf/htl_hash.h"
#include "elf/testing/compiled_program.h"
#include "net/auth/credential_hash.h"
#include "symbol/testing/module_file.h"

namespace flarestack::symbol {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeModuleFile;
using ::testing::SizeIs;

const std::string kKey = base::HexEncode(testing::ModuleParts().gnu_id_bytes);

std::string HtlKey(const std::string& file) {
  return KeyOf({IdKind::kHtlHash, elf::HtlHash(file)});
}

class UploadsTest : public ::testing::Test {
 protected:
  UploadsTest() { Reopen(); }

  void Reopen() {
    uploads_.reset();
    options_.directory = folder_.Path("uploads");
    options_.now = [this] { return now_; };
    options_.now_nanos = [] { return uint64_t{42}; };
    auto uploads = Uploads::Open(options_);
    ASSERT_TRUE(uploads.ok()) << uploads.status();
    uploads_ = *std::move(uploads);
  }

  static NewUpload Announcement(const std::string& key, const std::string& file) {
    return {.key = key,
            .total_bytes = file.size(),
            .sha256 = base::HexEncode(net::Sha256(file)),
            .name = "/usr/bin/cart"};
  }

  absl::StatusOr<UploadedFile> Push(const std::string& key, const std::string& file) {
    FLARE_ASSIGN(const std::string id, uploads_->Begin(Announcement(key, file)));
    FLARE_RETURN_IF_ERROR(uploads_->Append(id, 0, file).status());
    return uploads_->Finish(id);
  }

  absl::StatusOr<SymbolFiles> Find(IdKind kind, const std::string& text) {
    return uploads_->Find({.ids = {{kind, text}}, .path = ""});
  }

  std::string Partial() const { return folder_.Path("uploads/partial"); }
  std::string Place(std::string_view name) const {
    return folder_.Path(base::StrCat("uploads/", kKey.substr(0, 2), "/", kKey, "/", name));
  }

  elf::testing::WorkFolder folder_;
  UploadsOptions options_;
  PartialUploads::TimePoint now_{};
  std::unique_ptr<Uploads> uploads_;
};

TEST_F(UploadsTest, FindsAFileInPiecesOnceItIsComplete) {
  const std::string file = MakeModuleFile({});
  const auto id = uploads_->Begin(Announcement(kKey, file));
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(*uploads_->Received(*id), 0u);
  EXPECT_EQ(*uploads_->Append(*id, 0, file.substr(0, 10)), 10u);
  EXPECT_EQ(uploads_->Finish(*id).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Find(IdKind::kGnu, kKey).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(*uploads_->Received(*id), 10u);
  EXPECT_EQ(*uploads_->Append(*id, 10, file.substr(10)), file.size());
  const auto stored = uploads_->Finish(*id);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->key, kKey);
  EXPECT_EQ(stored->kind, UploadKind::kExecutable);
  EXPECT_EQ(stored->record.time_nanos, 42u);
  const auto found = Find(IdKind::kGnu, kKey);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->executable, Place("executable"));
  EXPECT_EQ(found->debug_file, "");
  EXPECT_TRUE(fs::is_empty(Partial()));
  EXPECT_EQ(uploads_->Received(*id).status().code(), StatusCode::kNotFound);
}

TEST_F(UploadsTest, SenderThatLostItsIdCanResume) {
  const std::string file = MakeModuleFile({});
  const auto id = uploads_->Begin(Announcement(kKey, file));
  ASSERT_TRUE(uploads_->Append(*id, 0, file.substr(0, 10)).ok());
  const auto again = uploads_->Begin(Announcement(kKey, file));
  EXPECT_EQ(*again, *id);
  EXPECT_EQ(*uploads_->Received(*again), 10u);
}

TEST_F(UploadsTest, PiecesMustBeContiguousWithinTheAnnouncedSize) {
  const std::string file = MakeModuleFile({});
  const auto id = uploads_->Begin(Announcement(kKey, file));
  EXPECT_EQ(uploads_->Append(*id, 5, "x").status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(uploads_->Append(*id, 0, file + "x").status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(uploads_->Append("nonsense", 0, "x").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(*uploads_->Received(*id), 0u);
}

TEST_F(UploadsTest, StoresExecutableAndDebugFileTogether) {
  ASSERT_TRUE(Push(kKey, MakeModuleFile({})).ok());
  const auto debug = Push(kKey, MakeModuleFile({.has_code = false, .has_symbols = true}));
  ASSERT_TRUE(debug.ok()) << debug.status();
  EXPECT_EQ(debug->kind, UploadKind::kDebugInfo);
  const auto found = Find(IdKind::kGnu, kKey);
  EXPECT_EQ(found->executable, Place("executable"));
  EXPECT_EQ(found->debug_file, Place("debuginfo"));
  EXPECT_THAT(uploads_->List(), SizeIs(2));
}

TEST_F(UploadsTest, FindsAFileByEachOfItsIds) {
  const std::string file = MakeModuleFile({.go_id = "aB/cD"});
  const auto stored = Push(HtlKey(file), file);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->key, kKey);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Find(IdKind::kGnu, kKey).ok());
    EXPECT_TRUE(Find(IdKind::kGo, "aB/cD").ok());
    EXPECT_TRUE(Find(IdKind::kHtlHash, elf::HtlHash(file)).ok());
    Reopen();
  }
}

TEST_F(UploadsTest, FileWithoutIdsIsIdentifiedByItsBytes) {
  const std::string file = MakeModuleFile({.gnu_id_bytes = "", .has_symbols = true});
  ASSERT_TRUE(Push(HtlKey(file), file).ok());
  EXPECT_TRUE(Find(IdKind::kHtlHash, elf::HtlHash(file)).ok());
}

TEST_F(UploadsTest, RejectsAndRemovesAFileThatDoesNotMatchTheAnnouncement) {
  const std::string file = MakeModuleFile({});
  const auto other_build = Push(base::HexEncode("fedcba9876543210"), file);
  EXPECT_EQ(other_build.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(base::Message(other_build.status()), HasSubstr(kKey));

  NewUpload wrong_hash = Announcement(kKey, file);
  wrong_hash.sha256 = std::string(64, '0');
  const auto id = uploads_->Begin(wrong_hash);
  ASSERT_TRUE(uploads_->Append(*id, 0, file).ok());
  EXPECT_EQ(uploads_->Finish(*id).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(uploads_->Finish(*id).status().code(), StatusCode::kNotFound);

  EXPECT_EQ(Push(kKey, "no ELF file").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Push(kKey, MakeModuleFile({.has_code = false})).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_THAT(uploads_->List(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(Partial()));
}

TEST_F(UploadsTest, FindsADwzFileWithTheDebugFileThatReferencesIt) {
  const std::string shared_id(20, 's');
  ASSERT_TRUE(
      Push(kKey, MakeModuleFile(
                     {.has_code = false, .has_symbols = true, .supplementary_id_bytes = shared_id}))
          .ok());
  EXPECT_EQ(Find(IdKind::kGnu, kKey)->supplementary, "");
  ASSERT_TRUE(
      Push(base::HexEncode(shared_id),
           MakeModuleFile({.gnu_id_bytes = shared_id, .has_code = false, .has_symbols = true}))
          .ok());
  EXPECT_THAT(Find(IdKind::kGnu, kKey)->supplementary, HasSubstr(base::HexEncode(shared_id)));
}

TEST_F(UploadsTest, RejectsAnInvalidAnnouncement) {
  const std::string file = MakeModuleFile({});
  for (const std::string& key : {std::string("../../../etc"), std::string("ab"), std::string(),
                                 std::string(201, 'a'), kKey + "/x"}) {
    EXPECT_EQ(uploads_->Begin(Announcement(key, file)).status().code(),
              StatusCode::kInvalidArgument)
        << key;
  }
  NewUpload upload = Announcement(kKey, file);
  upload.sha256 = "abc";
  EXPECT_EQ(uploads_->Begin(upload).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(uploads_->Begin(Announcement(kKey, "")).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(UploadsTest, NewFileReplacesTheOldOneUnlessItIsPoorer) {
  const std::string poor = MakeModuleFile({.code = "poor"});
  const std::string good = MakeModuleFile({.has_symbols = true});
  const std::string same = MakeModuleFile({.has_symbols = true, .code = "same"});
  ASSERT_TRUE(Push(kKey, poor).ok());
  ASSERT_TRUE(Push(kKey, good).ok());
  EXPECT_FALSE(Find(IdKind::kHtlHash, elf::HtlHash(poor)).ok());
  EXPECT_EQ(Push(kKey, poor).status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(Push(kKey, same).ok());
  ASSERT_THAT(uploads_->List(), SizeIs(1));
  EXPECT_EQ(uploads_->List()[0].record.bytes, same.size());
}

TEST_F(UploadsTest, LimitsTheSizesOfFilesAndTheDirectory) {
  const std::string file = MakeModuleFile({});
  options_.file_bytes_max = file.size();
  options_.directory_bytes_max = 2 * file.size();
  Reopen();
  EXPECT_EQ(uploads_->Begin(Announcement(kKey, file + "x")).status().code(),
            StatusCode::kResourceExhausted);
  ASSERT_TRUE(Push(kKey, file).ok());
  // An upload in progress counts with its full announced size.
  const auto second = uploads_->Begin(Announcement(kKey + "aa", file));
  ASSERT_TRUE(second.ok()) << second.status();
  const auto third = uploads_->Begin(Announcement(kKey + "bb", file));
  EXPECT_EQ(third.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(base::Message(third.status()), HasSubstr("no room"));
  EXPECT_TRUE(uploads_->Abandon(*second).ok());
  EXPECT_TRUE(uploads_->Begin(Announcement(kKey + "bb", file)).ok());
  Reopen();
  EXPECT_TRUE(uploads_->Begin(Announcement(kKey + "aa", file)).ok());
  EXPECT_FALSE(uploads_->Begin(Announcement(kKey + "bb", file)).ok());
}

TEST_F(UploadsTest, LimitsTheNumberAndAgeOfPendingUploads) {
  options_.partial = {.count_max = 2, .idle_max = seconds(100)};
  Reopen();
  const std::string file = MakeModuleFile({});
  const auto first = uploads_->Begin(Announcement(kKey + "aa", file));
  now_ += seconds(50);
  ASSERT_TRUE(uploads_->Begin(Announcement(kKey + "bb", file)).ok());
  EXPECT_EQ(uploads_->Begin(Announcement(kKey, file)).status().code(),
            StatusCode::kResourceExhausted);
  now_ += seconds(50);
  EXPECT_TRUE(uploads_->Begin(Announcement(kKey, file)).ok());
  EXPECT_EQ(uploads_->Received(*first).status().code(), StatusCode::kNotFound);
}

TEST_F(UploadsTest, RemovedFileIsGone) {
  const std::string file = MakeModuleFile({});
  ASSERT_TRUE(Push(kKey, file).ok());
  EXPECT_TRUE(uploads_->Remove(HtlKey(file)).ok());
  EXPECT_EQ(uploads_->Remove(kKey).code(), StatusCode::kNotFound);
  EXPECT_FALSE(Find(IdKind::kGnu, kKey).ok());
  EXPECT_FALSE(Find(IdKind::kHtlHash, elf::HtlHash(file)).ok());
  Reopen();
  EXPECT_THAT(uploads_->List(), IsEmpty());
}

// Every state in which a kill can leave the directory.
TEST_F(UploadsTest, KilledProcessLeavesNoPartialFile) {
  const std::string file = MakeModuleFile({.has_symbols = true});
  ASSERT_TRUE(Push(kKey, file).ok());
  const std::string record =
      folder_.Read(base::StrCat("uploads/", kKey.substr(0, 2), "/", kKey, "/executable.txt"));
  EXPECT_THAT(record, HasSubstr("name /usr/bin/cart\n"));
  const auto id = uploads_->Begin(Announcement(kKey + "aa", file));
  ASSERT_TRUE(uploads_->Append(*id, 0, "half").ok());
  Reopen();
  EXPECT_TRUE(fs::is_empty(Partial()));
  EXPECT_EQ(uploads_->Received(*id).status().code(), StatusCode::kNotFound);

  fs::remove(Place("executable.txt"));  // between the file and its record
  Reopen();
  ASSERT_THAT(uploads_->List(), SizeIs(1));
  EXPECT_EQ(uploads_->List()[0].record.bytes, file.size());
  EXPECT_TRUE(Find(IdKind::kHtlHash, elf::HtlHash(file)).ok());

  // While writing the record.
  fs::rename(Place("executable.txt"), Place("executable.txt.tmp-abcdef"));
  Reopen();
  EXPECT_THAT(uploads_->List(), SizeIs(1));
  EXPECT_FALSE(fs::exists(Place("executable.txt.tmp-abcdef")));

  fs::remove(Place("executable"));  // during removal
  Reopen();
  EXPECT_THAT(uploads_->List(), IsEmpty());
  EXPECT_FALSE(fs::exists(Place("executable.txt")));
}

TEST_F(UploadsTest, HandlesManySendersAtOnce) {
  std::vector<std::thread> senders;
  for (int i = 0; i < 8; ++i) {
    senders.emplace_back([this, i] {
      const std::string id_bytes(16, static_cast<char>('a' + i % 4));  // each build twice
      const std::string file =
          MakeModuleFile({.gnu_id_bytes = id_bytes, .has_code = i < 4, .has_symbols = true});
      const auto stored = Push(base::HexEncode(id_bytes), file);
      EXPECT_TRUE(stored.ok()) << stored.status();
      EXPECT_TRUE(Find(IdKind::kGnu, base::HexEncode(id_bytes)).ok());
    });
  }
  for (std::thread& sender : senders)
    sender.join();
  EXPECT_THAT(uploads_->List(), SizeIs(8));
}

TEST(UploadRecordTest, RoundTrips) {
  const UploadRecord record = {.sha256 = "ab",
                               .bytes = 7,
                               .time_nanos = 9,
                               .name = "a\nid gnu 00",
                               .ids = {{IdKind::kGnu, "12"}, {IdKind::kGo, "x/y z"}}};
  const auto read = ParseUploadRecord(FormatUploadRecord(record));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->sha256, "ab");
  EXPECT_EQ(read->bytes, 7u);
  EXPECT_EQ(read->time_nanos, 9u);
  EXPECT_EQ(read->name, "a id gnu 00");
  EXPECT_EQ(read->ids, record.ids);
  EXPECT_FALSE(ParseUploadRecord("").ok());
  EXPECT_FALSE(ParseUploadRecord("bytes 7\nid gnu 12\n").ok());
}

}  // namespace
}  // namespace flarestack::symbol
