// SPDX-License-Identifier: Apache-2.0
//
// Assigns every content of a message its number in the store: from memory if the content was seen
// before, from the database by its content id, or a new number that is written with the message.
//
// Senders repeat themselves, so the memory is a whole dictionary under construction
// (model/builder/dictionary_builder.h) with a number for each entry. When it outgrows its share, it
// is forgotten and filled again from the database. The same happens when the stamp of entries
// advances (entry_stamp.h): entries still in use are then written again with the new stamp.
//
// An entry found in the database is compared with the content before its number is used: the
// record, or an entry it refers to, may have expired. Such content gets a new number. So does
// content whose id is missing (id_index.h).
//
// Not thread-safe. After a failed write, call Forget() to discard the numbers it assigned.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory/arena.h"
#include "model/builder/content_ids.h"
#include "model/builder/dictionary_builder.h"
#include "model/builder/dictionary_merger.h"
#include "store/chunk/chunk.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/id_index.h"
#include "store/rocks/dictionary/next_numbers.h"
#include "store/rocks/dictionary/record_run.h"

namespace flarestack::store::rocks {

// The last number that a table assigns. Numbers are 32 bits in keys and chunks, and the next one,
// UINT32_MAX, marks a free slot in memory (store/number_table.h).
inline constexpr uint32_t kNumberMax = UINT32_MAX - 1;

class Interner {
 public:
  explicit Interner(const Database& database);

  void set_memory_bytes_max(uint64_t bytes) { memory_bytes_max_ = bytes; }

  // Reads where numbering continues.
  absl::Status Open();

  // Whether to call Forget() before a message with this stamp: memory is too large, or its entries
  // have an older stamp.
  bool NeedsRoom(uint32_t stamp) const;

  // Ids of new entries. Write them after the entries (IdWriter) and before Forget(). Otherwise the
  // content gets new numbers when it is seen again.
  IdsToWrite TakeNewIds();
  bool HasManyNewIds() const;
  uint64_t NewIdBytes() const { return new_ids_.size() * kEntryIdBytes; }  // approximate, on disk

  // All entries numbered so far must have been written.
  void Forget();
  void set_stamp(uint32_t stamp) { stamp_ = stamp; }

  // A merger adds the entries of a message here.
  model::DictionaryBuilder* entries() { return &memory_->builder; }

  // Numbers all entries without a number and adds new ones to `changes`. Returns kOutOfRange once a
  // table has assigned kNumberMax: the caller then drops `changes` and calls Forget().
  absl::Status NumberNewEntries(Changes* changes);

  // For entries that NumberNewEntries has numbered.
  uint32_t Number(model::StackIndex stack) const { return memory_->stacks[stack.value]; }

  ChunkAttributes Numbers(std::span<const model::AttributeIndex> attributes) const;

  // Returns the number of content that is stored elsewhere (a series). Sets `is_new` if it must be
  // written there. Returns kResourceExhausted, without assigning a number, if a new one would
  // exceed `number_max`.
  absl::StatusOr<uint32_t> NumberOf(Table table, const model::ContentId& id, Changes* changes,
                                    bool* is_new, uint64_t number_max = UINT32_MAX);

  // The number of bytes stored in the dictionary as they are (a resource, a scope).
  absl::StatusOr<uint32_t> NumberBytes(Table table, const std::string& bytes, Changes* changes);

  // The same for content that is stored elsewhere, with `is_new` and `number_max` as in NumberOf.
  absl::StatusOr<uint32_t> NumberOnce(Table table, const std::string& content, Changes* changes,
                                      bool* is_new, uint64_t number_max = UINT32_MAX);

  // How many numbers a table has assigned.
  uint32_t count(Table table) const;

  uint64_t memory_bytes() const;

 private:
  struct Memory {
    base::Arena arena;
    model::Dictionary dictionary;
    model::DictionaryBuilder builder{&dictionary, &arena};
    // The numbers of the entries, by their index in `dictionary`.
    std::vector<uint32_t> strings;
    std::vector<uint32_t> functions;
    std::vector<uint32_t> mappings;
    std::vector<uint32_t> locations;
    std::vector<uint32_t> attributes;
    std::vector<uint32_t> stacks;
    // Runs that were written again with the current stamp, by table and first number.
    absl::flat_hash_set<uint64_t> renewed_runs;
    // For NumberBytes and NumberOnce, by table and content.
    absl::flat_hash_map<std::string, uint32_t> blobs;
    uint64_t blob_bytes = 0;
  };

  // How to number the entries of one table: the record of the entry at an index, and whether it
  // refers to a new entry, in which case the database cannot have it.
  struct TableSteps {
    Table table;
    size_t entry_count = 0;
    std::vector<uint32_t>* numbers = nullptr;
    absl::FunctionRef<bool(size_t)> refers_to_new;
    absl::FunctionRef<void(size_t, std::string*)> append_record;
  };
  // The records of the entries without a number, back to back.
  struct Records {
    struct Entry {
      size_t end = 0;  // in bytes; it starts at the end of the previous one
      uint64_t id = 0;
      uint32_t number = 0;  // 0: not known
      bool is_empty = false;
      bool may_be_stored = false;
    };
    std::string bytes;
    std::vector<Entry> entries;

    std::string_view Record(size_t i) const {
      const size_t begin = i == 0 ? 0 : entries[i - 1].end;
      return std::string_view(bytes).substr(begin, entries[i].end - begin);
    }
  };
  absl::Status NumberTable(const TableSteps& steps, Changes* changes);
  void CollectRecords(const TableSteps& steps);
  absl::Status FindStored(Table table, Changes* changes);
  absl::Status UseStored(size_t place, const StampedNumber& known, StoredRuns* stored,
                         Changes* changes);
  void Renew(Table table, const StoredRuns::Entry& stored, Changes* changes);

  absl::StatusOr<std::optional<StampedNumber>> FindId(Table table,
                                                      const model::ContentId& id) const;
  uint32_t Remember(std::string key, uint32_t number);
  uint32_t& next(Table table);
  absl::StatusOr<uint32_t> TakeNumber(Table table);
  void WriteNextNumbers(Changes* changes) const;
  bool IsNew(Table table, uint32_t number) const;
  bool HasNew(model::Slice attributes) const;

  std::vector<uint32_t> AttributeNumbers(model::Slice slice) const;
  absl::Status NumberStrings(Changes* changes);
  absl::Status NumberAttributes(Changes* changes);
  absl::Status NumberMappings(Changes* changes);
  absl::Status NumberFunctions(Changes* changes);
  absl::Status NumberLocations(Changes* changes);
  absl::Status NumberStacks(Changes* changes);

  const Database& database_;
  uint64_t memory_bytes_max_ = UINT64_MAX;
  std::unique_ptr<Memory> memory_;
  Records records_;  // of the table being numbered
  std::vector<NewId> new_ids_;
  size_t new_ids_max_ = kIdsPerTableMax;
  uint32_t stamp_ = 0;
  NextNumbers numbers_;
  // The first number assigned since the last Forget().
  std::array<uint32_t, kTableCount> first_new_ = {};
};

}  // namespace flarestack::store::rocks
