// SPDX-License-Identifier: Apache-2.0
//
// Lets RocksDB join the chunks of one key while it rewrites its files anyway: appending to a series
// is then one blind write, and neither a crash nor a late sample can count anything twice.
#pragma once

#include <rocksdb/merge_operator.h>

namespace flarestack::store::rocks {

class ChunkMerge : public rocksdb::MergeOperator {
 public:
  const char* Name() const override { return "flarestack.chunk.1"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override;
  bool PartialMergeMulti(const rocksdb::Slice& key, const std::deque<rocksdb::Slice>& operands,
                         std::string* merged, rocksdb::Logger* log) const override;
};

}  // namespace flarestack::store::rocks
