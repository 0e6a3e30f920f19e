// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/interner.h"

#include <algorithm>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "base/text/text.h"
#include "store/rocks/dictionary/record_run.h"

namespace flarestack::store::rocks {
namespace {

// Pending ids use at most this fraction (1/16) of the memory limit.
constexpr uint64_t kNewIdsShare = 16;

}  // namespace

Interner::Interner(const Database& database)
    : database_(database), memory_(std::make_unique<Memory>()) {}

absl::Status Interner::Open() {
  // Pending ids are not on disk yet, so keep no more of them than a write buffer of the family
  // holds.
  const uint64_t buffer_bytes =
      database_.db().GetOptions(database_.handle(Family::kIds)).write_buffer_size;
  new_ids_max_ = std::min<uint64_t>(kIdsPerTableMax, buffer_bytes / kEntryIdBytes);
  FLARE_ASSIGN(numbers_, NextNumbers::Read(database_));
  first_new_ = numbers_.next;
  return absl::OkStatus();
}

void Interner::WriteNextNumbers(Changes* changes) const { numbers_.WriteTo(changes); }

IdsToWrite Interner::TakeNewIds() {
  IdsToWrite taken = {.ids = std::exchange(new_ids_, {}), .indexed = {}};
  std::copy_n(numbers_.next.begin(), kTablesInRuns, taken.indexed.begin());
  return taken;
}

bool Interner::HasManyNewIds() const {
  return new_ids_.size() >= new_ids_max_ ||
         new_ids_.size() * sizeof(NewId) >= memory_bytes_max_ / kNewIdsShare;
}

uint64_t Interner::memory_bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  const Memory& m = *memory_;
  // Hash slots are 8 bytes and at most half full, so each entry costs about 24 bytes extra.
  const uint64_t slots = 24 * (m.dictionary.strings.size() + m.dictionary.functions.size() +
                               m.dictionary.locations.size() + m.dictionary.stacks.size() +
                               m.dictionary.attributes.size() + m.dictionary.mappings.size());
  return m.arena.allocated_bytes() + of(m.dictionary.strings) + of(m.dictionary.functions) +
         of(m.dictionary.mappings) + of(m.dictionary.locations) + of(m.dictionary.attributes) +
         of(m.dictionary.stacks) + of(m.dictionary.lines) + of(m.dictionary.location_indices) +
         of(m.dictionary.attribute_indices) + of(m.dictionary.nodes) + of(m.strings) +
         of(m.functions) + of(m.mappings) + of(m.locations) + of(m.attributes) + of(m.stacks) +
         slots + m.renewed_runs.capacity() * 9 + m.blob_bytes + of(new_ids_);
}

bool Interner::NeedsRoom(uint32_t stamp) const {
  return stamp != stamp_ || memory_bytes() > memory_bytes_max_;
}

void Interner::Forget() {
  memory_ = std::make_unique<Memory>();
  new_ids_.clear();
  first_new_ = numbers_.next;
}

uint32_t Interner::count(Table table) const {
  return numbers_.next[NextNumbers::PositionOf(table)] - 1;
}

uint32_t& Interner::next(Table table) { return numbers_.next[NextNumbers::PositionOf(table)]; }

absl::StatusOr<uint32_t> Interner::TakeNumber(Table table) {
  uint32_t& next_number = next(table);
  if (next_number > kNumberMax) {
    return absl::OutOfRangeError(
        base::StrCat("the store has used all ", kNumberMax, " numbers of its table of ",
                     NameOf(table), " and accepts only known entries; start a new data directory"));
  }
  return next_number++;
}

// Tables refer to each other. Each is numbered before the tables that refer to it.
absl::Status Interner::NumberNewEntries(Changes* changes) {
  const std::array<uint32_t, kTableCount> before = numbers_.next;
  FLARE_RETURN_IF_ERROR(memory_->builder.status());
  FLARE_RETURN_IF_ERROR(NumberStrings(changes));
  FLARE_RETURN_IF_ERROR(NumberAttributes(changes));
  FLARE_RETURN_IF_ERROR(NumberMappings(changes));
  FLARE_RETURN_IF_ERROR(NumberFunctions(changes));
  FLARE_RETURN_IF_ERROR(NumberLocations(changes));
  FLARE_RETURN_IF_ERROR(NumberStacks(changes));
  if (numbers_.next != before)
    WriteNextNumbers(changes);
  return absl::OkStatus();
}

void Interner::CollectRecords(const TableSteps& steps) {
  std::string empty;
  steps.append_record(0, &empty);
  records_.bytes.clear();
  records_.entries.clear();
  for (size_t i = steps.numbers->size(); i < steps.entry_count; ++i) {
    const size_t begin = records_.bytes.size();
    steps.append_record(i, &records_.bytes);
    const std::string_view record = std::string_view(records_.bytes).substr(begin);
    const bool is_empty = record == empty;
    records_.entries.push_back({.end = records_.bytes.size(),
                                .id = EntryId(steps.table, record),
                                .is_empty = is_empty,
                                .may_be_stored = !is_empty && !steps.refers_to_new(i)});
  }
}

// A run that is used again is kept as long as the data that uses it. All of it is written, because
// the stored run may be being dropped right now.
void Interner::Renew(Table table, const StoredRuns::Entry& stored, Changes* changes) {
  const uint64_t key = uint64_t{static_cast<uint8_t>(table)} << 32 | stored.first;
  if (stored.run->stamp >= stamp_ || !memory_->renewed_runs.insert(key).second)
    return;
  RunEncoder run;
  for (const std::string_view record : stored.run->records)
    run.Add(record);
  changes->Put(Family::kDictionary, DictionaryKey(table, stored.first), run.Take(stamp_));
}

// Assigns the number to the entry if the stored record is the same.
absl::Status Interner::UseStored(size_t place, const StampedNumber& known, StoredRuns* stored,
                                 Changes* changes) {
  FLARE_ASSIGN(const std::optional<StoredRuns::Entry> found, stored->Find(known.number));
  if (!found.has_value() || found->record != records_.Record(place))
    return absl::OkStatus();
  Records::Entry& entry = records_.entries[place];
  entry.number = known.number;
  Renew(stored->table(), *found, changes);
  if (known.stamp < stamp_) {
    new_ids_.push_back({.id = entry.id, .stamped = {.number = known.number, .stamp = stamp_}});
  }
  return absl::OkStatus();
}

// Assigns stored numbers to the entries that the database has.
absl::Status Interner::FindStored(Table table, Changes* changes) {
  std::vector<size_t> places;
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < records_.entries.size(); ++i) {
    if (records_.entries[i].may_be_stored) {
      places.push_back(i);
      ids.push_back(records_.entries[i].id);
    }
  }
  std::vector<StampedNumber> found;
  FLARE_RETURN_IF_ERROR(FindEntryIds(database_, ids, &found));
  StoredRuns stored(database_, table);
  for (size_t i = 0; i < places.size(); ++i) {
    if (found[i].number != 0)
      FLARE_RETURN_IF_ERROR(UseStored(places[i], found[i], &stored, changes));
  }
  return absl::OkStatus();
}

absl::Status Interner::NumberTable(const TableSteps& steps, Changes* changes) {
  if (steps.numbers->size() == steps.entry_count)
    return absl::OkStatus();
  CollectRecords(steps);
  FLARE_RETURN_IF_ERROR(FindStored(steps.table, changes));
  RunWriter runs(steps.table, stamp_, changes);
  for (size_t i = 0; i < records_.entries.size(); ++i) {
    uint32_t number = records_.entries[i].number;
    if (number == 0 && !records_.entries[i].is_empty) {
      FLARE_ASSIGN(number, TakeNumber(steps.table));
      runs.Add(number, records_.Record(i));
      new_ids_.push_back(
          {.id = records_.entries[i].id, .stamped = {.number = number, .stamp = stamp_}});
    }
    steps.numbers->push_back(number);
  }
  runs.Finish();
  return absl::OkStatus();
}

ChunkAttributes Interner::Numbers(std::span<const model::AttributeIndex> attributes) const {
  const Memory& m = *memory_;
  ChunkAttributes numbers;
  numbers.reserve(attributes.size());
  for (const model::AttributeIndex index : attributes) {
    if (index) {
      numbers.push_back({.key = m.strings[m.dictionary.attributes[index.value].key.value],
                         .attribute = m.attributes[index.value]});
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

absl::StatusOr<uint32_t> Interner::NumberBytes(Table table, const std::string& bytes,
                                               Changes* changes) {
  Memory& m = *memory_;
  std::string key = static_cast<char>(table) + bytes;
  if (const auto known = m.blobs.find(key); known != m.blobs.end())
    return known->second;
  const model::ContentId id = base::HashContent(key);
  FLARE_ASSIGN(const std::optional<StampedNumber> known, FindId(table, id));
  if (known.has_value() && known->stamp >= stamp_)
    return Remember(std::move(key), known->number);
  uint32_t number = 0;
  if (known.has_value()) {
    number = known->number;
  } else {
    FLARE_ASSIGN(number, TakeNumber(table));
    WriteNextNumbers(changes);
  }
  changes->Put(Family::kIds, IdKey(table, id), EncodeStamped({.number = number, .stamp = stamp_}));
  std::string record;
  base::AppendVarint(stamp_, &record);
  record += bytes;
  changes->Put(Family::kDictionary, DictionaryKey(table, number), record);
  return Remember(std::move(key), number);
}

absl::StatusOr<uint32_t> Interner::NumberOnce(Table table, const std::string& content,
                                              Changes* changes, bool* is_new, uint64_t number_max) {
  Memory& m = *memory_;
  std::string key = static_cast<char>(table) + content;
  *is_new = false;
  if (const auto known = m.blobs.find(key); known != m.blobs.end())
    return known->second;
  FLARE_ASSIGN(const uint32_t number,
               NumberOf(table, base::HashContent(key), changes, is_new, number_max));
  return Remember(std::move(key), number);
}

uint32_t Interner::Remember(std::string key, uint32_t number) {
  memory_->blob_bytes += key.size() + 64;
  memory_->blobs.emplace(std::move(key), number);
  return number;
}

absl::StatusOr<std::optional<StampedNumber>> Interner::FindId(Table table,
                                                              const model::ContentId& id) const {
  FLARE_ASSIGN(const std::optional<std::string> bytes,
               database_.Get(Family::kIds, IdKey(table, id)));
  if (!bytes.has_value())
    return std::nullopt;
  StampedNumber known;
  FLARE_RETURN_IF_ERROR(DecodeStamped(*bytes, &known));
  return known;
}

absl::StatusOr<uint32_t> Interner::NumberOf(Table table, const model::ContentId& id,
                                            Changes* changes, bool* is_new, uint64_t number_max) {
  FLARE_ASSIGN(const std::optional<StampedNumber> known, FindId(table, id));
  if (known.has_value() && known->stamp >= stamp_) {
    *is_new = false;
    return known->number;
  }
  *is_new = true;  // or written again with the new stamp
  if (!known.has_value() && next(table) > std::min<uint64_t>(number_max, kNumberMax))
    return absl::ResourceExhaustedError("series limit reached");
  const uint32_t number = known.has_value() ? known->number : next(table)++;
  changes->Put(Family::kIds, IdKey(table, id), EncodeStamped({.number = number, .stamp = stamp_}));
  if (!known.has_value())
    WriteNextNumbers(changes);
  return number;
}

}  // namespace flarestack::store::rocks
