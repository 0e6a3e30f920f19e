// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/next_numbers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/dictionary/id_index.h"
#include "store/rocks/dictionary/record_run.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::string_view kNextKey = "next";
constexpr std::string_view kIndexedKey = "indexed";

using Indexed = std::array<uint32_t, kTablesInRuns>;

Indexed AllOf(const NextNumbers& numbers) {
  Indexed indexed;
  std::copy_n(numbers.next.begin(), kTablesInRuns, indexed.begin());
  return indexed;
}

// Returns nullopt in a new directory and in one of format 2.
absl::StatusOr<std::optional<Indexed>> ReadIndexed(const Database& database) {
  FLARE_ASSIGN(const std::optional<std::string> bytes, database.Get(Family::kMeta, kIndexedKey));
  if (!bytes.has_value())
    return std::nullopt;
  base::ByteReader in(*bytes);
  Indexed indexed;
  for (uint32_t& number : indexed)
    number = in.Varint32();
  if (!in.AtEnd())
    return absl::DataLossError("the table of indexed numbers is corrupt");
  return indexed;
}

// Writes the ids of all entries of a table from `first` on, kIdsPerTableMax at a time.
absl::Status IndexTable(const Database& database, Table table, uint32_t first) {
  std::vector<NewId> ids;
  Run run;
  const auto at = database.NewIterator(Family::kDictionary);
  for (at->Seek(ToSlice(DictionaryKey(table, first))); at->Valid(); at->Next()) {
    const std::optional<uint32_t> number = DecodeDictionaryKey(table, ToView(at->key()));
    if (!number.has_value())
      break;
    // A broken run gets no ids, so its content will get new numbers.
    if (!DecodeRun(*number, ToView(at->value()), &run).ok())
      continue;
    for (uint32_t i = 0; i < run.records.size(); ++i) {
      ids.push_back({.id = EntryId(table, run.records[i]),
                     .stamped = {.number = *number + i, .stamp = run.stamp}});
    }
    if (ids.size() >= kIdsPerTableMax)
      FLARE_RETURN_IF_ERROR(PutEntryIds(database, std::exchange(ids, {})));
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  return PutEntryIds(database, std::move(ids));
}

// Ids of format 2 used a different hash.
absl::Status DeleteOldIds(const Database& database) {
  Changes changes(database);
  for (size_t i = 0; i < kTablesInRuns; ++i) {
    const char letter = static_cast<char>(kTables[i]);
    changes.DeleteRange(Family::kIds, std::string(1, letter),
                        std::string(1, static_cast<char>(letter + 1)));
  }
  return WriteAtOnce(database, &changes);
}

absl::Status WriteIndexed(const Database& database, const Indexed& indexed) {
  std::string bytes;
  for (const uint32_t number : indexed)
    base::AppendVarint(number, &bytes);
  Changes changes(database);
  changes.Put(Family::kMeta, kIndexedKey, bytes);
  return WriteAtOnce(database, &changes);
}

absl::Status IndexNewEntries(const Database& database) {
  RemoveUnfinishedIds(database);
  FLARE_ASSIGN(const NextNumbers numbers, NextNumbers::Read(database));
  FLARE_ASSIGN(const std::optional<Indexed> indexed, ReadIndexed(database));
  const Indexed all = AllOf(numbers);
  if (indexed == all)
    return absl::OkStatus();
  const Indexed begin = indexed.value_or(AllOf(NextNumbers()));
  for (size_t i = 0; i < kTablesInRuns; ++i) {
    if (begin[i] != all[i])
      FLARE_RETURN_IF_ERROR(IndexTable(database, kTables[i], begin[i]));
  }
  if (!indexed.has_value() && begin != all)
    FLARE_RETURN_IF_ERROR(DeleteOldIds(database));
  return WriteIndexed(database, all);
}

}  // namespace

std::string_view NameOf(Table table) {
  switch (table) {
    case Table::kString:
      return "strings";
    case Table::kFunction:
      return "functions";
    case Table::kMapping:
      return "mappings";
    case Table::kLocation:
      return "locations";
    case Table::kAttribute:
      return "attributes";
    case Table::kStack:
      return "stacks";
    case Table::kResource:
      return "resources";
    case Table::kScope:
      return "scopes";
    case Table::kSeries:
    case Table::kMetric:
      return "series";
  }
  return "";
}

NextNumbers::NextNumbers() {
  next.fill(1);  // 0 means "none" everywhere
}

size_t NextNumbers::PositionOf(Table table) {
  return static_cast<size_t>(std::ranges::find(kTables, table) - kTables.begin());
}

bool IsKeptInRuns(Table table) { return NextNumbers::PositionOf(table) < kTablesInRuns; }

absl::StatusOr<NextNumbers> NextNumbers::Read(const Database& database) {
  NextNumbers numbers;
  FLARE_ASSIGN(const std::optional<std::string> bytes, database.Get(Family::kMeta, kNextKey));
  if (!bytes.has_value())
    return numbers;
  base::ByteReader in(*bytes);
  for (uint32_t& next : numbers.next)
    next = in.Varint32();
  if (!in.AtEnd())
    return absl::DataLossError("the table of next numbers is corrupt");
  return numbers;
}

void NextNumbers::WriteTo(Changes* changes) const {
  std::string bytes;
  for (const uint32_t number : next)
    base::AppendVarint(number, &bytes);
  changes->Put(Family::kMeta, kNextKey, bytes);
}

void IdWriter::Write(IdsToWrite ids) {
  const absl::Status status = PutEntryIds(database_, std::move(ids.ids));
  is_behind_ = is_behind_ || !status.ok() || !WriteIndexed(database_, ids.indexed).ok();
}

void IdWriter::CatchUp() { is_behind_ = !IndexNewEntries(database_).ok(); }

}  // namespace flarestack::store::rocks
