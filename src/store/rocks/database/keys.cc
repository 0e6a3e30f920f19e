// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/keys.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "model/signal_batch.h"

namespace flarestack::store::rocks {
namespace {

using base::AppendBigEndian;
using base::ByteReader;

constexpr size_t kPostingValueBytesMax = 200;

// Terminates a text in a key. A zero byte inside a text only makes it share a prefix with others.
constexpr char kTextEnd = '\0';

std::string_view CutValue(std::string_view value) { return value.substr(0, kPostingValueBytesMax); }

}  // namespace

std::string DictionaryKey(Table table, uint32_t number) {
  std::string key(1, static_cast<char>(table));
  AppendBigEndian(number, &key);
  return key;
}

std::optional<uint32_t> DecodeDictionaryKey(Table table, std::string_view bytes) {
  ByteReader in(bytes);
  const std::string_view letter = in.Take(1);
  const auto number = in.BigEndian<uint32_t>();
  if (!in.AtEnd() || letter[0] != static_cast<char>(table))
    return std::nullopt;
  return number;
}

EntryIdKey EncodeEntryId(uint64_t id) {
  EntryIdKey key = {kEntryIdLetter};
  for (size_t i = 0; i < sizeof(id); ++i)
    key[1 + i] = static_cast<char>(id >> (56 - 8 * i));
  return key;
}

std::string IdKey(Table table, const model::ContentId& id) {
  std::string key(1, static_cast<char>(table));
  AppendBigEndian(id.high, &key);
  AppendBigEndian(id.low, &key);
  return key;
}

std::string SeriesKey(uint32_t series) {
  std::string key;
  AppendBigEndian(series, &key);
  return key;
}

std::string SampleKey::Encode() const {
  std::string key = SamplePrefix(hour, series);
  AppendBigEndian(part, &key);
  return key;
}

std::optional<SampleKey> SampleKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const SampleKey key = {.hour = in.BigEndian<uint32_t>(),
                         .series = in.BigEndian<uint32_t>(),
                         .part = in.BigEndian<uint16_t>()};
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

std::string SamplePrefix(uint32_t hour) {
  std::string key;
  AppendBigEndian(hour, &key);
  return key;
}

std::string SamplePrefix(uint32_t hour, uint32_t series) {
  std::string key = SamplePrefix(hour);
  AppendBigEndian(series, &key);
  return key;
}

std::string RollupKey::Encode() const {
  std::string key(1, static_cast<char>(level));
  AppendBigEndian(period, &key);
  AppendBigEndian(series, &key);
  return key;
}

std::optional<RollupKey> RollupKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const std::string_view level = in.Take(1);
  RollupKey key;
  key.period = in.BigEndian<uint32_t>();
  key.series = in.BigEndian<uint32_t>();
  if (!in.AtEnd() || std::string_view("tmhd").find(level[0]) == std::string_view::npos)
    return std::nullopt;
  key.level = static_cast<RollupLevel>(level[0]);
  return key;
}

std::string PostingPrefix(std::string_view attribute_key) {
  std::string key(attribute_key);
  std::ranges::replace(key, '_', '.');
  key += kTextEnd;
  return key;
}

std::string PostingEnd(std::string_view attribute_key) {
  std::string key = PostingPrefix(attribute_key);
  key.back() = static_cast<char>(kTextEnd + 1);
  return key;
}

std::string PostingAttribute(std::string_view posting_key) {
  return std::string(posting_key.substr(0, posting_key.find(kTextEnd)));
}

std::string PostingPrefix(std::string_view attribute_key, std::string_view value) {
  std::string key = PostingPrefix(attribute_key);
  key += CutValue(value);
  key += kTextEnd;
  return key;
}

std::string EncodePosting(std::string_view attribute_key, std::string_view value, uint32_t series) {
  std::string key = PostingPrefix(attribute_key, value);
  AppendBigEndian(series, &key);
  return key;
}

std::optional<PostingKey> DecodePosting(std::string_view attribute_key, std::string_view bytes) {
  constexpr size_t kTail = 1 + sizeof(uint32_t);
  const size_t begin = attribute_key.size() + 1;
  if (bytes.size() < begin + kTail)
    return std::nullopt;
  const size_t value_bytes = bytes.size() - begin - kTail;
  ByteReader tail(bytes.substr(begin + value_bytes + 1));
  return PostingKey{.value = bytes.substr(begin, value_bytes),
                    .series = tail.BigEndian<uint32_t>()};
}

std::string LinkPrefix(std::string_view trace_id) {
  return std::string(trace_id.substr(0, kLinkPrefixBytes));
}

std::string LinkKey::Encode() const {
  std::string key = SamplePrefix(hour) + prefix;
  AppendBigEndian(series, &key);
  return key;
}

std::optional<LinkKey> LinkKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  LinkKey key;
  key.hour = in.BigEndian<uint32_t>();
  key.prefix = in.Take(kLinkPrefixBytes);
  key.series = in.BigEndian<uint32_t>();
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

std::string EncodeProfileId(uint32_t hour, std::string_view profile_id) {
  return SamplePrefix(hour) += profile_id;
}

std::string SpanKey::Encode() const { return SamplePrefix(hour) + trace_id + span_id; }

std::optional<SpanKey> SpanKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  SpanKey key;
  key.hour = in.BigEndian<uint32_t>();
  key.trace_id = in.Take(model::kTraceIdBytes);
  key.span_id = in.Take(model::kSpanIdBytes);
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

std::string SpanIndexKey::Encode() const {
  std::string key = SamplePrefix(hour, resource);
  AppendBigEndian(start, &key);
  return key + span_id;
}

std::optional<SpanIndexKey> SpanIndexKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  SpanIndexKey key;
  key.hour = in.BigEndian<uint32_t>();
  key.resource = in.BigEndian<uint32_t>();
  key.start = in.BigEndian<uint64_t>();
  key.span_id = in.Take(8);
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

std::string LogKey::Encode() const {
  std::string key = SamplePrefix(hour, resource);
  AppendBigEndian(time, &key);
  AppendBigEndian(content, &key);
  return key;
}

std::optional<LogKey> LogKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const LogKey key = {.hour = in.BigEndian<uint32_t>(),
                      .resource = in.BigEndian<uint32_t>(),
                      .time = in.BigEndian<uint64_t>(),
                      .content = in.BigEndian<uint64_t>()};
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

std::string EncodeLogTrace(std::string_view trace_id, std::string_view span_id, const LogKey& log) {
  const std::string log_key = log.Encode();
  std::string key = SamplePrefix(log.hour);
  key += trace_id;
  key += span_id;
  return key += std::string_view(log_key).substr(sizeof(log.hour));
}

std::optional<std::string> DecodeLogTrace(std::string_view bytes) {
  ByteReader in(bytes);
  std::string log_key(in.Take(sizeof(LogKey::hour)));
  in.Take(model::kTraceIdBytes + model::kSpanIdBytes);
  log_key += in.rest();
  return in.ok() && LogKey::Decode(log_key).has_value() ? std::optional(log_key) : std::nullopt;
}

std::string PointKey::Encode() const {
  std::string key = SamplePrefix(hour, series);
  AppendBigEndian(time, &key);
  return key;
}

std::optional<PointKey> PointKey::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const PointKey key = {.hour = in.BigEndian<uint32_t>(),
                        .series = in.BigEndian<uint32_t>(),
                        .time = in.BigEndian<uint64_t>()};
  return in.AtEnd() ? std::optional(key) : std::nullopt;
}

}  // namespace flarestack::store::rocks
