// SPDX-License-Identifier: Apache-2.0
//
// The keys of each family (docs/formats/store.md). Numbers are big endian, so that keys sort by the
// values they encode. Keys of data that expires begin with the hour, so that an hour is one range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/builder/content_ids.h"

namespace flarestack::store::rocks {

using base::kNanosPerHour;
using base::kNanosPerMinute;

inline uint32_t HourOf(uint64_t nanos) { return static_cast<uint32_t>(nanos / kNanosPerHour); }

// The tables of the dictionary, as encoded in keys.
enum class Table : char {
  kString = 's',
  kFunction = 'f',
  kMapping = 'm',
  kLocation = 'l',
  kAttribute = 'a',
  kStack = 'k',
  kResource = 'r',
  kScope = 'c',
  kSeries = 'S',  // only in kIds
  kMetric = 'M',  // only in kIds
};

std::string DictionaryKey(Table table, uint32_t number);
// Returns the number, or nullopt if the key does not belong to this table.
std::optional<uint32_t> DecodeDictionaryKey(Table table, std::string_view bytes);

std::string IdKey(Table table, const model::ContentId& id);

// Ids of entries that are stored in runs (record_run.h): the letter of the table in the highest
// byte, then a hash of the record. A separate first letter keeps all other ids out of their range.
inline constexpr char kEntryIdLetter = 'e';
inline constexpr size_t kEntryIdKeyBytes = 1 + sizeof(uint64_t);
using EntryIdKey = std::array<char, kEntryIdKeyBytes>;
EntryIdKey EncodeEntryId(uint64_t id);
std::string SeriesKey(uint32_t series);

struct SampleKey {
  uint32_t hour = 0;
  uint32_t series = 0;
  uint16_t part = 0;  // a busy series has several chunks per hour
  std::string Encode() const;
  static std::optional<SampleKey> Decode(std::string_view bytes);
};
std::string SamplePrefix(uint32_t hour);
std::string SamplePrefix(uint32_t hour, uint32_t series);

enum class RollupLevel : char { kTotals = 't', kMinutes = 'm', kHour = 'h', kDay = 'd' };

struct RollupKey {
  RollupLevel level = RollupLevel::kHour;
  uint32_t period = 0;  // hours since the epoch; days for kDay
  uint32_t series = 0;
  std::string Encode() const;
  static std::optional<RollupKey> Decode(std::string_view bytes);
};

// Attribute keys are folded (dots equal underscores) and values truncated, so check each hit
// against the full attributes.
std::string PostingPrefix(std::string_view attribute_key);
std::string PostingPrefix(std::string_view attribute_key, std::string_view value);
std::string PostingEnd(std::string_view attribute_key);      // after all keys of the attribute
std::string PostingAttribute(std::string_view posting_key);  // its attribute key, with dots
struct PostingKey {
  std::string_view value;  // as stored in the key
  uint32_t series = 0;
};
std::optional<PostingKey> DecodePosting(std::string_view attribute_key, std::string_view bytes);
std::string EncodePosting(std::string_view attribute_key, std::string_view value, uint32_t series);

inline constexpr size_t kLinkPrefixBytes = 4;

// Which series have samples of a trace in an hour. Four bytes of the trace id are enough to find
// it; the chunk contains the full id.
std::string LinkPrefix(std::string_view trace_id);
struct LinkKey {
  uint32_t hour = 0;
  std::string prefix;  // LinkPrefix
  uint32_t series = 0;
  std::string Encode() const;
  static std::optional<LinkKey> Decode(std::string_view bytes);
};

// A stored profile, by the hour of its time.
inline constexpr size_t kProfileIdBytes = 16;
std::string EncodeProfileId(uint32_t hour, std::string_view profile_id);

// Traces, logs and metrics.
struct SpanKey {
  uint32_t hour = 0;  // of the start
  std::string trace_id;
  std::string span_id;
  std::string Encode() const;
  static std::optional<SpanKey> Decode(std::string_view bytes);
};

struct SpanIndexKey {
  uint32_t hour = 0;
  uint32_t resource = 0;
  uint64_t start = 0;
  std::string span_id;
  std::string Encode() const;
  static std::optional<SpanIndexKey> Decode(std::string_view bytes);
};

struct LogKey {
  uint32_t hour = 0;
  uint32_t resource = 0;
  uint64_t time = 0;
  uint64_t content = 0;  // hash: a record sent twice is stored once
  std::string Encode() const;
  static std::optional<LogKey> Decode(std::string_view bytes);
};

// Finds the log records of a trace or span. Contains the whole LogKey, so it needs no value.
std::string EncodeLogTrace(std::string_view trace_id, std::string_view span_id, const LogKey& log);
// The key of the record in `logs`.
std::optional<std::string> DecodeLogTrace(std::string_view bytes);

struct PointKey {
  uint32_t hour = 0;
  uint32_t series = 0;
  uint64_t time = 0;
  std::string Encode() const;
  static std::optional<PointKey> Decode(std::string_view bytes);
};

}  // namespace flarestack::store::rocks
