// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/chunk_merge.h"

#include <string_view>

#include "store/chunk.h"

namespace flarestack::store::rocks {
namespace {

bool Add(const rocksdb::Slice& bytes, Chunk* to) {
  Chunk chunk;
  if (!DecodeChunk({bytes.data(), bytes.size()}, &chunk).ok())
    return false;
  AppendChunk(chunk, to);
  return true;
}

template <typename Operands>
bool Join(const rocksdb::Slice* base, const Operands& operands, std::string* merged) {
  Chunk all;
  if (base != nullptr && !Add(*base, &all))
    return false;
  for (const rocksdb::Slice& operand : operands) {
    if (!Add(operand, &all))
      return false;
  }
  Canonicalize(&all);
  *merged = EncodeChunk(all);
  return true;
}

}  // namespace

bool ChunkMerge::FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const {
  if (in.existing_value == nullptr && in.operand_list.size() == 1) {
    out->existing_operand = in.operand_list[0];
    return true;
  }
  return Join(in.existing_value, in.operand_list, &out->new_value);
}

bool ChunkMerge::PartialMergeMulti(const rocksdb::Slice& /*key*/,
                                   const std::deque<rocksdb::Slice>& operands, std::string* merged,
                                   rocksdb::Logger* /*log*/) const {
  return Join(nullptr, operands, merged);
}

}  // namespace flarestack::store::rocks
