// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/id_index.h"

#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/byte_reader.h"
#include "base/hash.h"
#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

// Keys per RocksDB call. RocksDB checks some tens of them at once against a table's filter.
constexpr size_t kKeysPerCall = 256;

// Fewer ids go through log and buffer, like all other data.
constexpr size_t kIdsForTableMin = 4096;

constexpr std::string_view kFileName = "/ids.new";

rocksdb::Slice ToSlice(const EntryIdKey& key) { return {key.data(), key.size()}; }

std::string PathOf(const Database& database) {
  return database.db().GetName() + std::string(kFileName);
}

void CountWritten(const Database& database, uint64_t bytes) {
  if (DiskQuota* const quota = database.quota(); quota != nullptr)
    quota->AddWritten(bytes);
}

absl::Status WriteThroughBuffer(const Database& database, std::span<const NewId> ids) {
  Changes changes(database);
  for (const NewId& id : ids) {
    const EntryIdKey key = EncodeEntryId(id.id);
    changes.Put(Family::kIds, {key.data(), key.size()}, EncodeStamped(id.stamped));
  }
  CountWritten(database, changes.bytes());
  return WriteAtOnce(database, &changes);
}

absl::Status WriteFile(const Database& database, std::span<const NewId> ids) {
  rocksdb::ColumnFamilyHandle* const family = database.handle(Family::kIds);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database.db().GetOptions(family), family);
  FLARE_RETURN_IF_ERROR(ToStatus(writer.Open(PathOf(database))));
  for (const NewId& id : ids) {
    FLARE_RETURN_IF_ERROR(
        ToStatus(writer.Put(ToSlice(EncodeEntryId(id.id)), EncodeStamped(id.stamped))));
  }
  rocksdb::ExternalSstFileInfo info;
  FLARE_RETURN_IF_ERROR(ToStatus(writer.Finish(&info)));
  CountWritten(database, info.file_size);
  return absl::OkStatus();
}

// Writes the ids as a RocksDB table file and ingests it.
absl::Status WriteAsTable(const Database& database, std::span<const NewId> ids) {
  FLARE_RETURN_IF_ERROR(WriteFile(database, ids));
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.write_global_seqno = false;  // the manifest has it
  options.allow_blocking_flush = false;
  rocksdb::ColumnFamilyHandle* const family = database.handle(Family::kIds);
  const rocksdb::Status status =
      database.db().IngestExternalFile(family, {PathOf(database)}, options);
  if (!status.IsInvalidArgument())
    return ToStatus(status);
  // The buffer contains ids in this range and would have to be flushed first. So write these ids to
  // the buffer, too, and flush it to make way for the next table.
  RemoveUnfinishedIds(database);
  FLARE_RETURN_IF_ERROR(WriteThroughBuffer(database, ids));
  rocksdb::FlushOptions flush;
  flush.wait = false;
  flush.allow_write_stall = true;
  return ToStatus(database.db().Flush(flush, family));
}

}  // namespace

std::string EncodeStamped(const StampedNumber& stamped) {
  std::string out;
  base::AppendVarint(stamped.number, &out);
  base::AppendVarint(stamped.stamp, &out);
  return out;
}

absl::Status DecodeStamped(std::string_view bytes, StampedNumber* stamped) {
  base::ByteReader in(bytes);
  stamped->number = in.Varint32();
  stamped->stamp = in.Varint32();
  return in.AtEnd() ? absl::OkStatus() : absl::DataLossError("dictionary: a number is corrupt");
}

uint64_t EntryId(Table table, std::string_view record) {
  return uint64_t{static_cast<uint8_t>(table)} << 56 | base::Hash64(record) >> 8;
}

absl::Status FindEntryIds(const Database& database, std::span<const uint64_t> ids,
                          std::vector<StampedNumber>* found) {
  found->assign(ids.size(), {});
  std::vector<std::pair<uint64_t, size_t>> sorted;
  sorted.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    sorted.emplace_back(ids[i], i);
  std::ranges::sort(sorted);
  std::array<EntryIdKey, kKeysPerCall> keys;
  std::array<rocksdb::Slice, kKeysPerCall> slices;
  std::array<rocksdb::PinnableSlice, kKeysPerCall> values;
  std::array<rocksdb::Status, kKeysPerCall> statuses;
  for (size_t begin = 0; begin < sorted.size(); begin += kKeysPerCall) {
    const size_t count = std::min(kKeysPerCall, sorted.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      keys[i] = EncodeEntryId(sorted[begin + i].first);
      slices[i] = ToSlice(keys[i]);
      values[i].Reset();
    }
    database.db().MultiGet(rocksdb::ReadOptions(), database.handle(Family::kIds), count,
                           slices.data(), values.data(), statuses.data(), /*sorted_input=*/true);
    for (size_t i = 0; i < count; ++i) {
      if (statuses[i].IsNotFound())
        continue;
      FLARE_RETURN_IF_ERROR(ToStatus(statuses[i]));
      FLARE_RETURN_IF_ERROR(DecodeStamped(ToView(values[i]), &(*found)[sorted[begin + i].second]));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteAtOnce(const Database& database, Changes* changes) {
  FLARE_RETURN_IF_ERROR(changes->status());
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  return ToStatus(database.Write(options, changes));
}

absl::Status PutEntryIds(const Database& database, std::vector<NewId> ids) {
  std::ranges::sort(ids, [](const NewId& a, const NewId& b) {
    return a.id != b.id ? a.id < b.id : a.stamped.number > b.stamped.number;
  });
  // If content has two numbers, keep the newer one.
  const auto is_same = [](const NewId& a, const NewId& b) { return a.id == b.id; };
  ids.erase(std::unique(ids.begin(), ids.end(), is_same), ids.end());
  return ids.size() < kIdsForTableMin ? WriteThroughBuffer(database, ids)
                                      : WriteAsTable(database, ids);
}

void RemoveUnfinishedIds(const Database& database) {
  (void)database.db().GetEnv()->DeleteFile(PathOf(database));
}

}  // namespace flarestack::store::rocks
