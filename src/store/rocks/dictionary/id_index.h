// SPDX-License-Identifier: Apache-2.0
//
// The family `ids` as the interner uses it: which number has this content?
//
// The id of an entry is a hash of its record. Hashes are random, and putting each of them into the
// sorted buffer of RocksDB costs more than all else that is done with an entry. So the interner
// collects new ones, and when there are many they become a table of their own, past log and buffer.
// An id that was not written before a crash is made again from its entry: `indexed` says up to
// which numbers ids are there (next_numbers.h).
//
// Ids may be missing, or lead to a number whose record is gone or another one. So the record is
// compared before the number is used, and an id that does not help costs a new number and no data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"

namespace flarestack::store::rocks {

struct StampedNumber {
  uint32_t number = 0;
  uint32_t stamp = 0;  // entry_stamp.h
};

std::string EncodeStamped(const StampedNumber& stamped);
absl::Status DecodeStamped(std::string_view bytes, StampedNumber* stamped);

// Never to be changed: it is stored.
uint64_t EntryId(Table table, std::string_view record);

// For each id what the database has, in the same order; number 0 where it has nothing.
absl::Status FindEntryIds(const Database& database, std::span<const uint64_t> ids,
                          std::vector<StampedNumber>* found);

struct NewId {
  uint64_t id = 0;
  StampedNumber stamped;
};

// What an id takes on disk, about.
inline constexpr uint64_t kEntryIdBytes = kEntryIdKeyBytes + 10;

// Writes without waiting for flushes and compactions that are behind: on a disk where they fail
// that has no end. Fails instead.
absl::Status WriteAtOnce(const Database& database, Changes* changes);

// Not in one step with anything else, and without waiting, as WriteAtOnce. Counts what it writes
// against the disk limit.
absl::Status PutEntryIds(const Database& database, std::vector<NewId> ids);

// Removes what a PutEntryIds that was interrupted has left in the directory.
void RemoveUnfinishedIds(const Database& database);

}  // namespace flarestack::store::rocks
