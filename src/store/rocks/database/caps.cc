// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/caps.h"

#include <optional>
#include <string>

#include "base/byte_reader.h"
#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::string_view kCapsKey = "caps";

}  // namespace

void NoteCaps(const Database& database, const StoreCaps& caps) {
  std::string bytes;
  base::AppendVarint(caps.disk_bytes, &bytes);
  base::AppendVarint(caps.memory_bytes, &bytes);
  const auto noted = database.Get(Family::kMeta, kCapsKey);
  if (noted.ok() && *noted == bytes)
    return;
  Changes changes(database);
  changes.Put(Family::kMeta, kCapsKey, bytes);
  (void)database.Write(rocksdb::WriteOptions(), &changes);  // a note of old caps is harmless
}

absl::StatusOr<StoreCaps> ReadCaps(const Database& database) {
  FLARE_ASSIGN(const std::optional<std::string> noted, database.Get(Family::kMeta, kCapsKey));
  StoreCaps caps;
  if (!noted.has_value())
    return caps;
  base::ByteReader in(*noted);
  caps.disk_bytes = in.Varint();
  caps.memory_bytes = in.Varint();
  if (!in.AtEnd())
    return absl::DataLossError("the stored caps are corrupt");
  return caps;
}

}  // namespace flarestack::store::rocks
