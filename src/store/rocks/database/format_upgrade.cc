// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/format_upgrade.h"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/byte_reader.h"
#include "base/status.h"
#include "model/signal_batch.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {
namespace {

constexpr size_t kBatchBytes = 4 << 20;

// The space of the old family is reclaimed in steps of this size, not only at the end.
constexpr uint64_t kReclaimBytes = 64 << 20;

constexpr size_t kIdBytes = model::kTraceIdBytes + model::kSpanIdBytes;

struct Entry {
  std::string key;
  std::string_view value;
};

// trace id, span id -> start, ...
std::optional<Entry> MoveSpan(std::string_view key, std::string_view value) {
  base::ByteReader in(value);
  const auto start = in.BigEndian<uint64_t>();
  if (!in.ok() || key.size() != kIdBytes)
    return std::nullopt;
  return Entry{SamplePrefix(HourOf(start)) += key, value};
}

// trace id, span id, key of the record
std::optional<Entry> MoveLogTrace(std::string_view key, std::string_view) {
  if (key.size() < kIdBytes)
    return std::nullopt;
  const auto log = LogKey::Decode(key.substr(kIdBytes));
  if (!log.has_value())
    return std::nullopt;
  return Entry{EncodeLogTrace(key.substr(0, model::kTraceIdBytes),
                              key.substr(model::kTraceIdBytes, model::kSpanIdBytes), *log),
               {}};
}

// first bytes of the trace id, hour, series
std::optional<Entry> MoveLink(std::string_view key, std::string_view) {
  base::ByteReader in(key);
  LinkKey link;
  link.prefix = in.Take(kLinkPrefixBytes);
  link.hour = in.BigEndian<uint32_t>();
  link.series = in.BigEndian<uint32_t>();
  return in.AtEnd() ? std::optional(Entry{link.Encode(), {}}) : std::nullopt;
}

// profile id -> hour
std::optional<Entry> MoveProfileId(std::string_view key, std::string_view value) {
  base::ByteReader in(value);
  const auto hour = in.BigEndian<uint32_t>();
  if (!in.ok() || key.size() != kProfileIdBytes)
    return std::nullopt;
  return Entry{EncodeProfileId(hour, key), {}};
}

struct Move {
  std::string_view retired;
  Family to;
  std::optional<Entry> (*move)(std::string_view key, std::string_view value);
};
constexpr std::array<Move, 4> kMoves = {{{"spans", Family::kSpans, MoveSpan},
                                         {"log_traces", Family::kLogTraces, MoveLogTrace},
                                         {"links", Family::kLinks, MoveLink},
                                         {"profile_ids", Family::kProfileIds, MoveProfileId}}};

const Move* FindMove(std::string_view retired) {
  const auto* const at = std::ranges::find(kMoves, retired, &Move::retired);
  return at == kMoves.end() ? nullptr : at;
}

}  // namespace

std::vector<std::string> RetiredFamilies(const std::string& directory) {
  std::vector<std::string> names;
  // A directory without a database has no families.
  if (!rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), directory, &names).ok())
    return {};
  std::erase_if(names, [](const std::string& name) { return FindMove(name) == nullptr; });
  return names;
}

absl::Status MoveRetiredFamily(const Database& database, rocksdb::ColumnFamilyHandle* retired) {
  const Move* const move = FindMove(retired->GetName());
  const std::unique_ptr<rocksdb::Iterator> at(
      database.db().NewIterator(rocksdb::ReadOptions(), retired));
  uint64_t reclaimable_bytes = 0;
  at->SeekToFirst();
  while (at->Valid()) {
    const std::string begin = at->key().ToString();
    Changes changes(database);
    std::string end;
    for (; at->Valid() && changes.bytes() < kBatchBytes; at->Next()) {
      end = at->key().ToString();
      // Skip entries that cannot be decoded: they were unreadable before, too.
      if (const auto entry = move->move(ToView(at->key()), ToView(at->value())); entry.has_value())
        changes.Put(move->to, entry->key, entry->value);
    }
    end += '\0';  // just after the last key
    changes.batch().DeleteRange(retired, begin, end);
    reclaimable_bytes += changes.bytes();
    FLARE_RETURN_IF_ERROR(changes.status());
    FLARE_RETURN_IF_ERROR(ToStatus(database.Write({}, &changes)));
    if (reclaimable_bytes < kReclaimBytes)
      continue;
    reclaimable_bytes = 0;
    FLARE_RETURN_IF_ERROR(database.FlushAll());
    const rocksdb::Slice to(end);
    FLARE_RETURN_IF_ERROR(
        ToStatus(rocksdb::DeleteFilesInRange(&database.db(), retired, nullptr, &to)));
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  FLARE_RETURN_IF_ERROR(database.FlushAll());
  return ToStatus(database.db().DropColumnFamily(retired));
}

}  // namespace flarestack::store::rocks
