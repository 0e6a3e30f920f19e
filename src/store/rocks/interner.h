// SPDX-License-Identifier: Apache-2.0
//
// Gives every content of a message its number in the store: from memory where the content was met
// before, from the database by its content id, or a new one that is written with the message.
//
// Senders repeat themselves, so the memory is a whole dictionary under construction
// (model/dictionary_builder.h) with a number beside each entry. When it outgrows its share it is
// forgotten, and filled again from the database; so it is once a day, which writes anew which day
// each entry was last in use.
//
// Not thread-safe. What a failed write has numbered must be forgotten: Forget().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/arena.h"
#include "model/content_id.h"
#include "model/dictionary_builder.h"
#include "model/dictionary_merger.h"
#include "store/chunk.h"
#include "store/rocks/database.h"
#include "store/rocks/keys.h"

namespace flarestack::store::rocks {

// Days since the epoch: when an entry was last met. Written before each entry, so that what no kept
// sample can name may be dropped.
struct StampedNumber {
  uint32_t number = 0;
  uint32_t day = 0;
};

// The last number that a table gives out. Numbers are 32 bits in keys and chunks, and the one
// behind it marks a free place in memory (store/number_table.h).
inline constexpr uint32_t kNumberMax = UINT32_MAX - 1;

class Interner {
 public:
  explicit Interner(const Database& database);

  void set_memory_bytes_max(uint64_t bytes) { memory_bytes_max_ = bytes; }

  // Reads where numbering ended.
  absl::Status Open();

  // Makes room, or forgets all at the turn of a day. Call before a message; what was numbered
  // before must have been written.
  void Prepare(uint32_t today);
  bool NeedsRoom(uint32_t today) const;
  void Forget();

  // Where a merger puts the entries of a message.
  model::DictionaryBuilder* entries() { return &memory_->builder; }

  // Numbers all entries that have none; new ones are added to `changes`. kOutOfRange when a table
  // has given out kNumberMax: the caller then drops `changes` and calls Forget().
  absl::Status NumberNewEntries(Changes* changes);

  // Of entries that NumberNewEntries has seen.
  uint32_t Number(model::StackIndex stack) const { return memory_->stacks[stack.value]; }

  ChunkAttributes Numbers(std::span<const model::AttributeIndex> attributes) const;

  // The number of a content that is kept elsewhere (a series); `is_new` when it is to be written
  // there. kResourceExhausted, and nothing given, when a new one would be above `number_max`.
  absl::StatusOr<uint32_t> NumberOf(Table table, const model::ContentId& id, Changes* changes,
                                    bool* is_new, uint64_t number_max = UINT32_MAX);

  // The number of bytes that stand for themselves (a resource, a scope).
  absl::StatusOr<uint32_t> NumberBytes(Table table, const std::string& bytes, Changes* changes);

  // The same for content that is kept elsewhere, with `is_new` and `number_max` as in NumberOf.
  absl::StatusOr<uint32_t> NumberOnce(Table table, const std::string& content, Changes* changes,
                                      bool* is_new, uint64_t number_max = UINT32_MAX);

  // How many numbers of a table were given out.
  uint32_t count(Table table) const;

  uint64_t memory_bytes() const;

 private:
  struct Memory {
    base::Arena arena;
    model::Dictionary dictionary;
    model::DictionaryBuilder builder{&dictionary, &arena};
    model::ContentIds ids;
    // The numbers of the entries, by their index here.
    std::vector<uint32_t> strings;
    std::vector<uint32_t> functions;
    std::vector<uint32_t> mappings;
    std::vector<uint32_t> locations;
    std::vector<uint32_t> attributes;
    std::vector<uint32_t> stacks;
    // Of NumberBytes, by table and content.
    absl::flat_hash_map<std::string, uint32_t> blobs;
    uint64_t blob_bytes = 0;
  };

  template <typename Record>
  absl::StatusOr<uint32_t> NumberEntry(Table table, const model::ContentId& id, Record record,
                                       Changes* changes);
  uint32_t& next(Table table);
  absl::StatusOr<uint32_t> TakeNumber(Table table);
  void WriteNextNumbers(Changes* changes) const;

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
  uint32_t today_ = 0;
  static constexpr size_t kTableCount = 10;
  std::array<uint32_t, kTableCount> next_ = {};
};

}  // namespace flarestack::store::rocks
