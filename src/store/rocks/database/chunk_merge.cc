// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/chunk_merge.h"

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/chunk/chunk.h"

namespace flarestack::store::rocks {
namespace {

thread_local int readers = 0;

// Not a chunk version. Values that begin with it are built for readers and never written.
constexpr char kPieces = '\x7f';

void PutSideBySide(const rocksdb::MergeOperator::MergeOperationInput& in, std::string* pieces) {
  *pieces = kPieces;
  if (in.existing_value != nullptr)
    base::AppendBytes({in.existing_value->data(), in.existing_value->size()}, pieces);
  for (const rocksdb::Slice& operand : in.operand_list)
    base::AppendBytes({operand.data(), operand.size()}, pieces);
}

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
  if (readers > 0) {
    PutSideBySide(in, &out->new_value);
    return true;
  }
  return Join(in.existing_value, in.operand_list, &out->new_value);
}

bool ChunkMerge::PartialMergeMulti(const rocksdb::Slice& /*key*/,
                                   const std::deque<rocksdb::Slice>& operands, std::string* merged,
                                   rocksdb::Logger* /*log*/) const {
  return Join(nullptr, operands, merged);
}

ReadingPieces::ReadingPieces() { ++readers; }
ReadingPieces::~ReadingPieces() { --readers; }

absl::Status ForEachPiece(std::string_view value,
                          absl::FunctionRef<absl::Status(std::string_view)> take) {
  if (value.empty() || value[0] != kPieces)
    return take(value);
  base::ByteReader in(value.substr(1));
  while (!in.rest().empty() && in.ok())
    FLARE_RETURN_IF_ERROR(take(in.Bytes()));
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks
