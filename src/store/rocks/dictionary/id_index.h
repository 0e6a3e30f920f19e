// SPDX-License-Identifier: Apache-2.0
//
// The family `ids` as the interner uses it: maps content to its number.
//
// The id of an entry is a hash of its record. Hashes are random, and inserting each into RocksDB's
// sorted buffer costs more than all other work on an entry. So the interner collects new ids, and
// writes a large number of them as a separate table, bypassing log and buffer. Ids that a crash
// lost are computed again from their entries: `indexed` records up to which numbers ids are
// complete (next_numbers.h).
//
// Ids may be missing, or lead to a number whose record was dropped or is a different one. So the
// record is compared before the number is used. A useless id costs a new number, but no data.
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

// Never change this function: its result is stored.
uint64_t EntryId(Table table, std::string_view record);

// Looks up each id, in the same order. The number is 0 if the database does not have the id.
absl::Status FindEntryIds(const Database& database, std::span<const uint64_t> ids,
                          std::vector<StampedNumber>* found);

struct NewId {
  uint64_t id = 0;
  StampedNumber stamped;
};

// Approximate size of an id on disk.
inline constexpr uint64_t kEntryIdBytes = kEntryIdKeyBytes + 10;

// Writes without waiting for flushes and compactions that are behind, and fails instead: on a
// failing disk the wait would never end.
absl::Status WriteAtOnce(const Database& database, Changes* changes);

// Not atomic with any other write, and does not wait, like WriteAtOnce. Counts the written bytes
// against the disk limit.
absl::Status PutEntryIds(const Database& database, std::vector<NewId> ids);

// Removes the file that an interrupted PutEntryIds left in the directory.
void RemoveUnfinishedIds(const Database& database);

}  // namespace flarestack::store::rocks
