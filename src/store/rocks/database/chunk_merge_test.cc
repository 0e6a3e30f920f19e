// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/chunk_merge.h"

#include <gtest/gtest.h>

#include <thread>

#include "store/chunk/chunk.h"

namespace flarestack::store::rocks {
namespace {

std::string ChunkOf(uint64_t time) {
  Chunk chunk;
  chunk.profiles.push_back({.time = 10});
  chunk.rows.push_back({.time = time, .stack = 1});
  return EncodeChunk(chunk);
}

// Calls it like RocksDB: with the value in the table and the operands merged into it since.
std::string Merged(const std::string& existing, const std::vector<std::string>& operands) {
  const rocksdb::Slice existing_slice(existing);
  const std::vector<rocksdb::Slice> slices(operands.begin(), operands.end());
  const rocksdb::MergeOperator::MergeOperationInput in("key", &existing_slice, slices, nullptr);
  std::string value;
  rocksdb::Slice one_of_them;
  rocksdb::MergeOperator::MergeOperationOutput out(value, one_of_them);
  EXPECT_TRUE(ChunkMerge().FullMergeV2(in, &out));
  return value;
}

std::vector<std::string> Pieces(const std::string& value) {
  std::vector<std::string> pieces;
  EXPECT_TRUE(ForEachPiece(value, [&](std::string_view piece) {
                pieces.emplace_back(piece);
                return absl::OkStatus();
              }).ok());
  return pieces;
}

TEST(ChunkMerge, JoinsWrittenChunks) {
  const std::vector<std::string> pieces = Pieces(Merged(ChunkOf(11), {ChunkOf(12), ChunkOf(13)}));
  ASSERT_EQ(pieces.size(), 1u);
  Chunk joined;
  ASSERT_TRUE(DecodeChunk(pieces[0], &joined).ok());
  EXPECT_EQ(joined.rows.size(), 3u);
  EXPECT_EQ(joined.profiles.size(), 1u);
}

TEST(ChunkMerge, GivesReadersThePiecesUnchanged) {
  const std::vector<std::string> all = {ChunkOf(11), ChunkOf(12), ChunkOf(13)};
  const ReadingPieces reading;
  EXPECT_EQ(Pieces(Merged(all[0], {all[1], all[2]})), all);
  EXPECT_EQ(Pieces(all[0]), std::vector<std::string>{all[0]});
}

// RocksDB rewrites its tables on its own threads, independent of concurrent readers.
TEST(ChunkMerge, JoinsInOtherThreadsDuringARead) {
  const ReadingPieces reading;
  std::string joined;
  std::thread([&] { joined = Merged(ChunkOf(11), {ChunkOf(12)}); }).join();
  Chunk chunk;
  EXPECT_TRUE(DecodeChunk(joined, &chunk).ok());
}

TEST(ChunkMerge, StopsAtAnErrorAndReturnsIt) {
  const ReadingPieces reading;
  const std::string value = Merged(ChunkOf(11), {ChunkOf(12)});
  int calls = 0;
  const absl::Status status = ForEachPiece(value, [&](std::string_view) {
    ++calls;
    return absl::DataLossError("broken");
  });
  EXPECT_EQ(status, absl::DataLossError("broken"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace flarestack::store::rocks
