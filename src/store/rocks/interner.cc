// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/interner.h"

#include <algorithm>

#include "base/byte_io.h"
#include "base/status.h"
#include "base/text.h"
#include "model/value_identity.h"
#include "store/rocks/records.h"

namespace flarestack::store::rocks {
namespace {

constexpr std::string_view kNextKey = "next";

constexpr std::array kTables = {
    Table::kString, Table::kFunction, Table::kMapping, Table::kLocation, Table::kAttribute,
    Table::kStack,  Table::kResource, Table::kScope,   Table::kSeries,   Table::kMetric};

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

size_t PositionOf(Table table) {
  return static_cast<size_t>(std::ranges::find(kTables, table) - kTables.begin());
}

std::string EncodeStamped(const StampedNumber& stamped) {
  std::string out;
  base::AppendVarint(stamped.number, &out);
  base::AppendVarint(stamped.day, &out);
  return out;
}

absl::StatusOr<StampedNumber> DecodeStamped(std::string_view bytes) {
  base::ByteReader in(bytes);
  const StampedNumber stamped = {.number = in.Varint32(), .day = in.Varint32()};
  if (!in.AtEnd())
    return absl::DataLossError("dictionary: a number is broken");
  return stamped;
}

}  // namespace

Interner::Interner(const Database& database)
    : database_(database), memory_(std::make_unique<Memory>()) {
  next_.fill(1);  // 0 is "none" everywhere
}

absl::Status Interner::Open() {
  FLARE_ASSIGN(const std::optional<std::string> bytes, database_.Get(Family::kMeta, kNextKey));
  if (!bytes.has_value())
    return absl::OkStatus();
  base::ByteReader in(*bytes);
  for (uint32_t& next : next_)
    next = in.Varint32();
  return in.AtEnd() ? absl::OkStatus() : absl::DataLossError("the table of next numbers is broken");
}

void Interner::WriteNextNumbers(Changes* changes) const {
  std::string bytes;
  for (const uint32_t next : next_)
    base::AppendVarint(next, &bytes);
  changes->Put(Family::kMeta, kNextKey, bytes);
}

uint64_t Interner::memory_bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  const Memory& m = *memory_;
  // Hash slots are 8 bytes and at most half full, so each entry costs about 24 beside itself.
  const uint64_t slots = 24 * (m.dictionary.strings.size() + m.dictionary.functions.size() +
                               m.dictionary.locations.size() + m.dictionary.stacks.size() +
                               m.dictionary.attributes.size() + m.dictionary.mappings.size());
  return m.arena.allocated_bytes() + of(m.dictionary.strings) + of(m.dictionary.functions) +
         of(m.dictionary.mappings) + of(m.dictionary.locations) + of(m.dictionary.attributes) +
         of(m.dictionary.stacks) + of(m.dictionary.lines) + of(m.dictionary.location_indices) +
         of(m.dictionary.attribute_indices) + of(m.dictionary.nodes) + of(m.ids.attributes) +
         of(m.ids.mappings) + of(m.ids.functions) + of(m.ids.locations) + of(m.ids.stacks) +
         of(m.strings) + of(m.functions) + of(m.mappings) + of(m.locations) + of(m.attributes) +
         of(m.stacks) + slots + m.blob_bytes;
}

bool Interner::NeedsRoom(uint32_t today) const {
  return today != today_ || memory_bytes() > memory_bytes_max_;
}

void Interner::Prepare(uint32_t today) {
  if (NeedsRoom(today))
    Forget();
  today_ = today;
}

void Interner::Forget() { memory_ = std::make_unique<Memory>(); }

uint32_t Interner::count(Table table) const { return next_[PositionOf(table)] - 1; }

uint32_t& Interner::next(Table table) { return next_[PositionOf(table)]; }

absl::StatusOr<uint32_t> Interner::TakeNumber(Table table) {
  uint32_t& next_number = next(table);
  if (next_number > kNumberMax) {
    return absl::OutOfRangeError(
        base::StrCat("the store has used all ", kNumberMax, " numbers of its table of ",
                     NameOf(table), " and takes only what it knows; start a new data directory"));
  }
  return next_number++;
}

// Tables refer to each other, and each goes before the ones that name its entries.
absl::Status Interner::NumberNewEntries(Changes* changes) {
  const std::array<uint32_t, kTableCount> before = next_;
  model::ExtendContentIds(memory_->dictionary, &memory_->ids);
  FLARE_RETURN_IF_ERROR(memory_->builder.status());
  FLARE_RETURN_IF_ERROR(NumberStrings(changes));
  FLARE_RETURN_IF_ERROR(NumberAttributes(changes));
  FLARE_RETURN_IF_ERROR(NumberMappings(changes));
  FLARE_RETURN_IF_ERROR(NumberFunctions(changes));
  FLARE_RETURN_IF_ERROR(NumberLocations(changes));
  FLARE_RETURN_IF_ERROR(NumberStacks(changes));
  if (next_ != before)
    WriteNextNumbers(changes);
  return absl::OkStatus();
}

template <typename Record>
absl::StatusOr<uint32_t> Interner::NumberEntry(Table table, const model::ContentId& id,
                                               Record record, Changes* changes) {
  if (id == model::ContentId{})  // an empty entry
    return 0;
  const std::string id_key = IdKey(table, id);
  FLARE_ASSIGN(const std::optional<std::string> known, database_.Get(Family::kIds, id_key));
  StampedNumber stamped = {.number = 0, .day = today_};
  if (known.has_value()) {
    FLARE_ASSIGN(stamped, DecodeStamped(*known));
    if (stamped.day >= today_)
      return stamped.number;
    stamped.day = today_;
  } else {
    FLARE_ASSIGN(stamped.number, TakeNumber(table));
  }
  changes->Put(Family::kIds, id_key, EncodeStamped(stamped));
  std::string bytes;
  base::AppendVarint(stamped.day, &bytes);
  bytes += record();
  changes->Put(Family::kDictionary, DictionaryKey(table, stamped.number), bytes);
  return stamped.number;
}

absl::Status Interner::NumberStrings(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.strings.size(); i < m.dictionary.strings.size(); ++i) {
    const std::string_view text = m.dictionary.strings[i];
    FLARE_ASSIGN(const uint32_t number,
                 NumberEntry(
                     Table::kString, text.empty() ? model::ContentId{} : model::StringId(text),
                     [&] { return std::string(text); }, changes));
    m.strings.push_back(number);
  }
  return absl::OkStatus();
}

std::vector<uint32_t> Interner::AttributeNumbers(model::Slice slice) const {
  std::vector<uint32_t> numbers;
  for (const model::AttributeIndex index : model::In(memory_->dictionary.attribute_indices, slice))
    numbers.push_back(memory_->attributes[index.value]);
  return numbers;
}

absl::Status Interner::NumberAttributes(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.attributes.size(); i < m.dictionary.attributes.size(); ++i) {
    const model::Attribute& attribute = m.dictionary.attributes[i];
    FLARE_ASSIGN(const uint32_t number, NumberEntry(
                                            Table::kAttribute, m.ids.attributes[i],
                                            [&] {
                                              return EncodeAttribute(
                                                  m.strings[attribute.key.value],
                                                  m.strings[attribute.unit.value], m.dictionary,
                                                  attribute.value);
                                            },
                                            changes));
    m.attributes.push_back(number);
  }
  return absl::OkStatus();
}

absl::Status Interner::NumberMappings(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.mappings.size(); i < m.dictionary.mappings.size(); ++i) {
    FLARE_ASSIGN(const uint32_t number,
                 NumberEntry(
                     Table::kMapping, m.ids.mappings[i],
                     [&] {
                       MappingRecord record = {.mapping = m.dictionary.mappings[i],
                                               .attributes = {}};
                       record.mapping.filename = {m.strings[record.mapping.filename.value]};
                       record.attributes = AttributeNumbers(record.mapping.attributes);
                       return EncodeMapping(record);
                     },
                     changes));
    m.mappings.push_back(number);
  }
  return absl::OkStatus();
}

absl::Status Interner::NumberFunctions(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.functions.size(); i < m.dictionary.functions.size(); ++i) {
    FLARE_ASSIGN(const uint32_t number,
                 NumberEntry(
                     Table::kFunction, m.ids.functions[i],
                     [&] {
                       model::Function function = m.dictionary.functions[i];
                       function.name = {m.strings[function.name.value]};
                       function.system_name = {m.strings[function.system_name.value]};
                       function.filename = {m.strings[function.filename.value]};
                       return EncodeFunction(function);
                     },
                     changes));
    m.functions.push_back(number);
  }
  return absl::OkStatus();
}

absl::Status Interner::NumberLocations(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.locations.size(); i < m.dictionary.locations.size(); ++i) {
    FLARE_ASSIGN(
        const uint32_t number,
        NumberEntry(
            Table::kLocation, m.ids.locations[i],
            [&] {
              LocationRecord record = {
                  .location = m.dictionary.locations[i], .lines = {}, .attributes = {}};
              record.location.mapping = {m.mappings[record.location.mapping.value]};
              for (model::Line line : model::In(m.dictionary.lines, record.location.lines)) {
                line.function = {m.functions[line.function.value]};
                record.lines.push_back(line);
              }
              record.attributes = AttributeNumbers(record.location.attributes);
              return EncodeLocation(record);
            },
            changes));
    m.locations.push_back(number);
  }
  return absl::OkStatus();
}

absl::Status Interner::NumberStacks(Changes* changes) {
  Memory& m = *memory_;
  for (size_t i = m.stacks.size(); i < m.dictionary.stacks.size(); ++i) {
    FLARE_ASSIGN(const uint32_t number,
                 NumberEntry(
                     Table::kStack, m.ids.stacks[i],
                     [&] {
                       std::vector<uint32_t> numbers;
                       for (const model::LocationIndex location : model::In(
                                m.dictionary.location_indices, m.dictionary.stacks[i].locations))
                         numbers.push_back(m.locations[location.value]);
                       return EncodeNumbers(numbers);
                     },
                     changes));
    m.stacks.push_back(number);
  }
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
  const uint32_t before = next(table);
  FLARE_ASSIGN(const uint32_t number,
               NumberEntry(
                   table, base::HashContent(key), [&] { return bytes; }, changes));
  if (next(table) != before)
    WriteNextNumbers(changes);
  m.blob_bytes += key.size() + 64;
  m.blobs.emplace(std::move(key), number);
  return number;
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
  m.blob_bytes += key.size() + 64;
  m.blobs.emplace(std::move(key), number);
  return number;
}

absl::StatusOr<uint32_t> Interner::NumberOf(Table table, const model::ContentId& id,
                                            Changes* changes, bool* is_new, uint64_t number_max) {
  const std::string id_key = IdKey(table, id);
  FLARE_ASSIGN(const std::optional<std::string> known, database_.Get(Family::kIds, id_key));
  *is_new = !known.has_value();
  if (known.has_value()) {
    FLARE_ASSIGN(const StampedNumber stamped, DecodeStamped(*known));
    if (stamped.day >= today_)
      return stamped.number;
    *is_new = true;  // written anew, with the day
    changes->Put(Family::kIds, id_key, EncodeStamped({.number = stamped.number, .day = today_}));
    return stamped.number;
  }
  if (next(table) > std::min<uint64_t>(number_max, kNumberMax))
    return absl::ResourceExhaustedError("there are as many as there may be");
  const uint32_t number = next(table)++;
  changes->Put(Family::kIds, id_key, EncodeStamped({.number = number, .day = today_}));
  WriteNextNumbers(changes);
  return number;
}

}  // namespace flarestack::store::rocks
