// SPDX-License-Identifier: Apache-2.0
//
// A RocksDB merge operator that joins the chunks of one key during compaction. Appending to a
// series is then one blind write, and neither a crash nor a late sample can make anything count
// twice.
//
// Readers do not wait for the join. They get unjoined chunks, mostly those of the current hour, as
// separate pieces. Pieces seen before are already decoded in the cache.
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

// While an instance lives, reads on this thread return chunks unjoined: see ForEachPiece. RocksDB's
// writes still join chunks, because they run on its own threads.
class ReadingPieces {
 public:
  ReadingPieces();
  ~ReadingPieces();
  ReadingPieces(const ReadingPieces&) = delete;
  ReadingPieces& operator=(const ReadingPieces&) = delete;
};

// Calls `take` with the bytes of each chunk in a value that was read in pieces. Most values have
// one.
absl::Status ForEachPiece(std::string_view value,
                          absl::FunctionRef<absl::Status(std::string_view chunk)> take);

}  // namespace flarestack::store::rocks
