// SPDX-License-Identifier: Apache-2.0
//
// The keys of each family (docs/formats/store.md). Numbers are big endian, so that keys sort as
// what they name; whatever grows old begins with its hour, so that it ends as one range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/content_id.h"

namespace flarestack::store::rocks {

using base::kNanosPerHour;
using base::kNanosPerMinute;

inline uint32_t HourOf(uint64_t nanos) { return static_cast<uint32_t>(nanos / kNanosPerHour); }

// The tables of the dictionary, as they stand in keys.
enum class Table : char {
  kString = 's',
  kFunction = 'f',
  kMapping = 'm',
  kLocation = 'l',
  kAttribute = 'a',
  kStack = 'k',
  kResource = 'r',
  kScope = 'c',
  kSeries = 'S',  // in kIds alone
  kMetric = 'M',  // in kIds alone
};

std::string DictionaryKey(Table table, uint32_t number);
std::string IdKey(Table table, const model::ContentId& id);
std::string SeriesKey(uint32_t series);

struct SampleKey {
  uint32_t hour = 0;
  uint32_t series = 0;
  uint16_t part = 0;  // a busy series has several chunks an hour
  std::string Encode() const;
  static std::optional<SampleKey> Decode(std::string_view bytes);
};
std::string SamplePrefix(uint32_t hour);
std::string SamplePrefix(uint32_t hour, uint32_t series);

enum class RollupLevel : char { kMinutes = 'm', kHour = 'h', kDay = 'd' };

struct RollupKey {
  RollupLevel level = RollupLevel::kHour;
  uint32_t period = 0;  // hours since the epoch, of kDay days
  uint32_t series = 0;
  std::string Encode() const;
  static std::optional<RollupKey> Decode(std::string_view bytes);
};

// Attribute keys are folded (dots and underscores alike), values cut: what is found is looked at.
std::string PostingPrefix(std::string_view attribute_key);
std::string PostingPrefix(std::string_view attribute_key, std::string_view value);
std::string PostingEnd(std::string_view attribute_key);      // behind all keys of the attribute
std::string PostingAttribute(std::string_view posting_key);  // whose it is, with dots
struct PostingKey {
  std::string_view value;  // as it stands in the key
  uint32_t series = 0;
};
std::optional<PostingKey> DecodePosting(std::string_view attribute_key, std::string_view bytes);
std::string EncodePosting(std::string_view attribute_key, std::string_view value, uint32_t series);

inline constexpr size_t kLinkPrefixBytes = 4;

// Four bytes of the trace id are enough to find it; the chunk has all of them.
std::string LinkPrefix(std::string_view trace_id);
struct LinkKey {
  uint32_t hour = 0;
  uint32_t series = 0;
};
std::string EncodeLink(std::string_view trace_id, const LinkKey& key);
std::optional<LinkKey> DecodeLink(std::string_view bytes);

// Traces, logs and metrics. A span's key is its trace id and span id.
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
  uint64_t content = 0;  // hash: the same record sent twice is one
  std::string Encode() const;
  static std::optional<LogKey> Decode(std::string_view bytes);
};

struct PointKey {
  uint32_t hour = 0;
  uint32_t series = 0;
  uint64_t time = 0;
  std::string Encode() const;
  static std::optional<PointKey> Decode(std::string_view bytes);
};

}  // namespace flarestack::store::rocks
