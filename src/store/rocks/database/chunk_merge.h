// SPDX-License-Identifier: Apache-2.0
//
// Lets RocksDB join the chunks of one key while it rewrites its files anyway: appending to a series
// is then one blind write, and neither a crash nor a late sample can count anything twice.
//
// Readers do not wait for that. What they meet unjoined, the hour that is being written above all,
// is handed to them side by side, and the pieces they saw the last time are decoded already.
#pragma once

#include <rocksdb/merge_operator.h>

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::store::rocks {

class ChunkMerge : public rocksdb::MergeOperator {
 public:
  const char* Name() const override { return "flarestack.chunk.1"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override;
  bool PartialMergeMulti(const rocksdb::Slice& key, const std::deque<rocksdb::Slice>& operands,
                         std::string* merged, rocksdb::Logger* log) const override;
};

// While one lives, what this thread reads of chunks is not joined: see ForEachPiece. What RocksDB
// writes is, because it does that in threads of its own.
class ReadingPieces {
 public:
  ReadingPieces();
  ~ReadingPieces();
  ReadingPieces(const ReadingPieces&) = delete;
  ReadingPieces& operator=(const ReadingPieces&) = delete;
};

// Calls `take` with the bytes of each chunk that a value read in pieces has; most have one.
absl::Status ForEachPiece(std::string_view value,
                          absl::FunctionRef<absl::Status(std::string_view chunk)> take);

}  // namespace flarestack::store::rocks
