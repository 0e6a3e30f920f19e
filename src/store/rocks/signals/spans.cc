// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/signals/signals.h"

#include <algorithm>
#include <map>

#include "base/byte_reader.h"
#include "base/status.h"
#include "codec/otlp/signals/traces_protobuf.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/hour_scan.h"
#include "store/rocks/signals/item_page.h"
#include "store/rocks/signals/signal_envelope.h"

namespace flarestack::store::rocks {
namespace {

uint64_t DurationOf(const model::Span& span) {
  return span.end_time_unix_nano - span.start_time_unix_nano;
}

// The fields that searches use, so that they need not read the spans.
std::string IndexValue(const model::Span& span) {
  std::string value(span.trace_id);
  base::AppendVarint(DurationOf(span), &value);
  value += span.name;
  return value;
}

// The start precedes the span, so that it can be read without decoding the span.
std::string SpanValue(uint64_t start, uint32_t resource, uint32_t scope, std::string_view message) {
  std::string value;
  base::AppendBigEndian(start, &value);
  base::AppendVarint(resource, &value);
  base::AppendVarint(scope, &value);
  value += message;
  return value;
}

absl::StatusOr<StoredItem> ReadSpanValue(std::string_view value) {
  base::ByteReader in(value);
  in.BigEndian<uint64_t>();
  StoredItem item;
  item.resource = in.Varint32();
  item.scope = in.Varint32();
  item.bytes = in.rest();
  if (!in.ok())
    return absl::DataLossError("a stored span is corrupt");
  return item;
}

absl::Status FillBatch(const Database& database, std::vector<StoredItem> items,
                       model::TraceBatch* batch) {
  return Assemble(
      database, std::move(items),
      [&](std::string_view bytes) { return codec::otlp::DecodeSpan(bytes, {}, batch); }, batch);
}

class SpanReader {
 public:
  SpanReader(const Database& database, const SpanQuery& query, ItemPage page)
      : database_(database),
        query_(query),
        resources_(database, query.matchers),
        page_(std::move(page)) {}

  absl::StatusOr<SelectedSpans> Read() {
    const HourScan scan = {
        .family = Family::kSpanIndex, .range = page_.Narrow(query_.range), .order = query_.order};
    const auto take = [&](std::string_view key, std::string_view value) {
      return Take(key, value);
    };
    const auto is_done = [&] { return page_.is_full(); };
    const auto on_progress = [&] { return control_.OnProgress(); };
    FLARE_RETURN_IF_ERROR(
        ScanHours(database_, scan, {.take = take, .is_done = is_done, .on_progress = on_progress}));
    const uint64_t held_bytes = page_.held_bytes();
    ItemPage::Taken taken = std::move(page_).Take();
    if (control_.is_stopped())
      taken.next.clear();  // the stopped scan may have missed items before this cursor
    if (is_answered_by_index_)
      FLARE_RETURN_IF_ERROR(ReadTaken(held_bytes, &taken.items));
    SelectedSpans selected;
    FLARE_RETURN_IF_ERROR(FillBatch(database_, std::move(taken.items), &selected));
    selected.next = std::move(taken.next);
    return selected;
  }

 private:
  absl::Status Take(std::string_view key_bytes, std::string_view value) {
    const auto key = SpanIndexKey::Decode(key_bytes);
    base::ByteReader in(value);
    const std::string_view trace_id = in.Take(model::kTraceIdBytes);
    const uint64_t duration = in.Varint();
    if (!key.has_value() || !in.ok())
      return absl::DataLossError("the index of spans is corrupt");
    if (key->start < query_.range.from || key->start >= query_.range.to ||
        !IndexMatches(duration, in.rest()))
      return absl::OkStatus();
    std::string position = ItemPosition(key->start, key->resource, key->span_id);
    if (!page_.Wants(position))
      return absl::OkStatus();
    FLARE_ASSIGN(const bool accepts, resources_.Accepts(key->resource));
    if (!accepts)
      return absl::OkStatus();
    std::string span_key =
        SpanKey{.hour = key->hour, .trace_id = std::string(trace_id), .span_id = key->span_id}
            .Encode();
    if (is_answered_by_index_) {
      page_.Add(std::move(position), {.bytes = std::move(span_key)});
      return control_.Hold(page_.held_bytes());
    }
    FLARE_ASSIGN(std::optional<StoredItem> item, ReadSpan(span_key));
    if (!item.has_value())
      return absl::OkStatus();
    FLARE_ASSIGN(const bool matches, SpanMatches(item->bytes));
    if (!matches)
      return absl::OkStatus();
    page_.Add(std::move(position), *std::move(item));
    return control_.Hold(page_.held_bytes());
  }

  absl::StatusOr<std::optional<StoredItem>> ReadSpan(std::string_view span_key) const {
    FLARE_ASSIGN(const std::optional<std::string> span, database_.Get(Family::kSpans, span_key));
    if (!span.has_value())
      return std::nullopt;
    return ReadSpanValue(*span);
  }

  // Replaces span keys with their spans.
  absl::Status ReadTaken(uint64_t bytes, std::vector<StoredItem>* items) {
    std::vector<StoredItem> spans;
    for (const StoredItem& key : *items) {
      FLARE_ASSIGN(std::optional<StoredItem> item, ReadSpan(key.bytes));
      if (!item.has_value())
        continue;
      bytes += 2 * item->bytes.size();
      FLARE_RETURN_IF_ERROR(control_.Hold(bytes));
      spans.push_back(*std::move(item));
    }
    *items = std::move(spans);
    return absl::OkStatus();
  }

  bool IndexMatches(uint64_t duration, std::string_view name) const {
    return duration >= query_.duration_min_nanos && duration <= query_.duration_max_nanos &&
           (query_.name.empty() || query_.name == name) &&
           (!query_.name_pattern.has_value() || query_.name_pattern->IsIn(name));
  }

  // Checks the conditions that the index cannot answer.
  absl::StatusOr<bool> SpanMatches(std::string_view bytes) {
    decoded_.Clear();
    FLARE_RETURN_IF_ERROR(codec::otlp::DecodeSpan(bytes, {}, &decoded_));
    const model::Span& span = decoded_.spans[0];
    return (!query_.status.has_value() || span.status_code == *query_.status) &&
           AcceptAttributes(query_.attributes, decoded_, span.attributes);
  }

  const Database& database_;
  const SpanQuery& query_;
  ResourceFilter resources_;
  ItemPage page_;
  ScanControl<SpanQuery> control_{query_};
  // If true, only spans that are returned are read. In newest-first order, a page sees many other
  // spans of an hour before those.
  const bool is_answered_by_index_ = !query_.status.has_value() && query_.attributes.empty();
  model::TraceBatch decoded_;
};

}  // namespace

absl::Status WriteSpans(const model::TraceBatch& batch, Interner* interner, Changes* changes) {
  for (const model::Resource& resource : batch.resources) {
    FLARE_ASSIGN(const uint32_t resource_number,
                 NumberResource(batch, resource, interner, changes));
    for (const model::ItemScope& scope : model::In(batch.scopes, resource.scopes)) {
      FLARE_ASSIGN(const uint32_t scope_number, NumberScope(batch, scope, interner, changes));
      for (const model::Span& span : model::In(batch.spans, scope.items)) {
        const std::string message = EncodeToString(
            [&](codec::wire::ReverseWriter* out) { codec::otlp::EncodeSpan(batch, span, out); });
        const uint64_t start = span.start_time_unix_nano;
        const SpanKey span_key = {.hour = HourOf(start),
                                  .trace_id = std::string(span.trace_id),
                                  .span_id = std::string(span.span_id)};
        changes->Put(Family::kSpans, span_key.Encode(),
                     SpanValue(start, resource_number, scope_number, message));
        const SpanIndexKey key = {.hour = HourOf(start),
                                  .resource = resource_number,
                                  .start = start,
                                  .span_id = std::string(span.span_id)};
        changes->Put(Family::kSpanIndex, key.Encode(), IndexValue(span));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<model::TraceBatch> ReadTrace(const Database& database, const TraceQuery& query) {
  std::map<std::string, std::pair<uint64_t, StoredItem>> by_id;
  ScanControl<TraceQuery> control(query);
  uint64_t bytes = 0;
  const auto take = [&](std::string_view key_bytes, std::string_view value) -> absl::Status {
    std::optional<SpanKey> key = SpanKey::Decode(key_bytes);
    if (!key.has_value())
      return absl::DataLossError("the key of a span is corrupt");
    const auto start = base::ByteReader(value).BigEndian<uint64_t>();
    FLARE_ASSIGN(StoredItem item, ReadSpanValue(value));
    bytes += sizeof(model::Span) + 2 * item.bytes.size();
    FLARE_RETURN_IF_ERROR(control.Hold(bytes));
    // A span that was resent with a start in another hour is stored twice. The one in the later
    // hour wins.
    by_id.insert_or_assign(std::move(key->span_id), std::pair(start, std::move(item)));
    return absl::OkStatus();
  };
  const auto on_progress = [&] { return control.OnProgress(); };
  FLARE_RETURN_IF_ERROR(
      FindInHours(database, {.family = Family::kSpans, .prefix = std::string(query.trace_id)},
                  {.take = take, .on_progress = on_progress}));
  std::vector<std::pair<uint64_t, StoredItem>> by_start;
  for (auto& [span_id, found] : by_id)
    by_start.push_back(std::move(found));
  std::ranges::stable_sort(by_start, {}, [](const auto& entry) { return entry.first; });
  std::vector<StoredItem> items;
  items.reserve(by_start.size());
  for (auto& [start, item] : by_start)
    items.push_back(std::move(item));
  model::TraceBatch batch;
  FLARE_RETURN_IF_ERROR(FillBatch(database, std::move(items), &batch));
  return batch;
}

absl::StatusOr<SelectedSpans> ReadSpans(const Database& database, const SpanQuery& query) {
  FLARE_ASSIGN(ItemPage page, ItemPage::Make(query.order, query.after, query.limit));
  return SpanReader(database, query, std::move(page)).Read();
}

absl::Status CheckSpanEntry(std::string_view key, std::string_view value) {
  if (!SpanKey::Decode(key).has_value())
    return absl::DataLossError("the key of a span is corrupt");
  FLARE_ASSIGN(const StoredItem item, ReadSpanValue(value));
  model::TraceBatch batch;
  return codec::otlp::DecodeSpan(item.bytes, {}, &batch);
}

absl::Status CheckSpanIndexEntry(std::string_view key, std::string_view value) {
  base::ByteReader in(value);
  in.Take(model::kTraceIdBytes);
  in.Varint();
  if (!SpanIndexKey::Decode(key).has_value() || !in.ok())
    return absl::DataLossError("the index of spans is corrupt");
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks
