// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/notes.h"

#include <memory>

#include "base/byte_reader.h"
#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::string_view kNotePrefix = "note:";
// Followed by the number; the value is the note's key.
constexpr std::string_view kAgePrefix = "noted";
constexpr std::string_view kAgeEnd = "notee";

std::string NoteKey(std::string_view key) { return base::StrCat(kNotePrefix, key); }

std::string AgeKey(uint64_t number) {
  std::string key(kAgePrefix);
  base::AppendBigEndian(number, &key);
  return key;
}

// Returns the number in a key with kAgePrefix, or nullopt for any other key and at the end.
std::optional<uint64_t> NumberAt(const rocksdb::Iterator& at) {
  if (!at.Valid() || !ToView(at.key()).starts_with(kAgePrefix))
    return std::nullopt;
  base::ByteReader in(ToView(at.key()).substr(kAgePrefix.size()));
  const auto number = in.BigEndian<uint64_t>();
  return in.AtEnd() ? std::optional<uint64_t>(number) : std::nullopt;
}

uint64_t NextNumber(const Database& database) {
  const std::unique_ptr<rocksdb::Iterator> at = database.NewIterator(Family::kMeta);
  at->SeekForPrev(ToSlice(kAgeEnd));
  const std::optional<uint64_t> last = NumberAt(*at);
  return last.has_value() ? *last + 1 : 1;
}

// Numbers have no gaps, because only the oldest note is ever dropped.
void DropOldest(const Database& database, uint64_t next, uint64_t count_max, Changes* changes) {
  const std::unique_ptr<rocksdb::Iterator> at = database.NewIterator(Family::kMeta);
  for (at->Seek(ToSlice(kAgePrefix)); at->Valid(); at->Next()) {
    const std::optional<uint64_t> number = NumberAt(*at);
    if (!number.has_value() || next - *number < count_max)
      return;
    changes->Delete(Family::kMeta, NoteKey(ToView(at->value())));
    changes->Delete(Family::kMeta, ToView(at->key()));
  }
}

}  // namespace

absl::Status CheckNote(std::string_view key, std::string_view text) {
  if (key.empty() || key.size() > kNoteKeyBytesMax || text.size() > kNoteBytesMax) {
    return absl::InvalidArgumentError(
        base::StrCat("a note has a key of 1 to ", kNoteKeyBytesMax, " bytes and a text of up to ",
                     kNoteBytesMax, "; these have ", key.size(), " and ", text.size()));
  }
  return absl::OkStatus();
}

absl::Status WriteNote(const Database& database, const NoteOptions& options, std::string_view key,
                       std::string_view text) {
  FLARE_ASSIGN(const std::optional<std::string> found, ReadNote(database, key));
  if (found.has_value()) {
    return *found == text
               ? absl::OkStatus()
               : absl::AlreadyExistsError(base::StrCat("there is another note with the key ", key));
  }
  const uint64_t number = NextNumber(database);
  Changes changes(database);
  DropOldest(database, number, options.count_max, &changes);
  std::string value;
  base::AppendVarint(number, &value);
  value += text;
  changes.Put(Family::kMeta, NoteKey(key), value);
  changes.Put(Family::kMeta, AgeKey(number), key);
  FLARE_RETURN_IF_ERROR(changes.status());
  rocksdb::WriteOptions write;
  write.sync = options.sync;
  return ToStatus(database.Write(write, &changes));
}

absl::StatusOr<std::optional<std::string>> ReadNote(const Database& database,
                                                    std::string_view key) {
  FLARE_ASSIGN(const std::optional<std::string> value, database.Get(Family::kMeta, NoteKey(key)));
  if (!value.has_value())
    return std::nullopt;
  base::ByteReader in(*value);
  in.Varint();
  if (!in.ok())
    return absl::DataLossError(base::StrCat("the note ", key, " is corrupt"));
  return std::string(in.rest());
}

}  // namespace flarestack::store::rocks
