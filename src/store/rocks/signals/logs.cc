// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/signals/signals.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "base/hash.h"
#include "base/status.h"
#include "codec/otlp/signals/logs_protobuf.h"
#include "model/attribute_text.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/hour_scan.h"
#include "store/rocks/signals/item_page.h"
#include "store/rocks/signals/signal_envelope.h"

namespace flarestack::store::rocks {
namespace {

std::string LogValue(uint32_t scope, const model::LogRecord& record, std::string_view message) {
  std::string value;
  base::AppendVarint(scope, &value);
  base::AppendSigned(static_cast<int32_t>(record.severity_number), &value);
  value += message;
  return value;
}

class LogReader {
 public:
  LogReader(const Database& database, const LogQuery& query, ItemPage page)
      : database_(database),
        query_(query),
        resources_(database, query.matchers),
        page_(std::move(page)) {}

  absl::StatusOr<SelectedLogs> Read() {
    FLARE_RETURN_IF_ERROR(query_.trace_id.empty() ? ReadByTime() : ReadByTrace());
    ItemPage::Taken taken = std::move(page_).Take();
    if (control_.is_stopped())
      taken.next.clear();  // the stopped scan may have missed items before this cursor
    SelectedLogs selected;
    FLARE_RETURN_IF_ERROR(Assemble(
        database_, std::move(taken.items),
        [&](std::string_view bytes) { return codec::otlp::DecodeLogRecord(bytes, {}, &selected); },
        &selected));
    selected.next = std::move(taken.next);
    return selected;
  }

 private:
  absl::Status ReadByTime() {
    const HourScan scan = {
        .family = Family::kLogs, .range = page_.Narrow(query_.range), .order = query_.order};
    const auto take = [&](std::string_view key, std::string_view value) {
      return Take(key, value);
    };
    const auto is_done = [&] { return page_.is_full(); };
    const auto on_progress = [&] { return control_.OnProgress(); };
    return ScanHours(database_, scan,
                     {.take = take, .is_done = is_done, .on_progress = on_progress});
  }

  absl::Status ReadByTrace() {
    const auto take = [&](std::string_view key, std::string_view) -> absl::Status {
      const std::optional<std::string> log_key = DecodeLogTrace(key);
      if (!log_key.has_value())
        return absl::DataLossError("the index of log records by trace is corrupt");
      FLARE_ASSIGN(const std::optional<std::string> value, database_.Get(Family::kLogs, *log_key));
      return value.has_value() ? Take(*log_key, *value) : absl::OkStatus();
    };
    const auto on_progress = [&] { return control_.OnProgress(); };
    return FindInHours(database_,
                       {.family = Family::kLogTraces,
                        .range = query_.range,
                        .prefix = query_.trace_id + query_.span_id},
                       {.take = take, .on_progress = on_progress});
  }

  absl::Status Take(std::string_view key_bytes, std::string_view value) {
    const auto key = LogKey::Decode(key_bytes);
    base::ByteReader in(value);
    StoredItem item;
    item.scope = in.Varint32();
    const int64_t severity = in.Signed();
    if (!key.has_value() || !in.ok())
      return absl::DataLossError("a stored log record is corrupt");
    if (key->time < query_.range.from || key->time >= query_.range.to ||
        severity < query_.severity_min)
      return absl::OkStatus();
    std::string content;
    base::AppendBigEndian(key->content, &content);
    std::string position = ItemPosition(key->time, key->resource, content);
    if (!page_.Wants(position))
      return absl::OkStatus();
    FLARE_ASSIGN(const bool accepts, resources_.Accepts(key->resource));
    if (!accepts)
      return absl::OkStatus();
    FLARE_ASSIGN(const bool matches, BodyMatches(in.rest()));
    if (!matches)
      return absl::OkStatus();
    item.resource = key->resource;
    item.bytes = in.rest();
    page_.Add(std::move(position), std::move(item));
    return control_.Hold(page_.held_bytes());
  }

  absl::StatusOr<bool> BodyMatches(std::string_view bytes) {
    if (query_.body_part.empty() && !query_.body_pattern.has_value())
      return true;
    decoded_.Clear();
    FLARE_RETURN_IF_ERROR(codec::otlp::DecodeLogRecord(bytes, {}, &decoded_));
    const std::string body = model::AttributeText(decoded_, decoded_.log_records[0].body);
    return body.find(query_.body_part) != std::string::npos &&
           (!query_.body_pattern.has_value() || query_.body_pattern->IsIn(body));
  }

  const Database& database_;
  const LogQuery& query_;
  ResourceFilter resources_;
  ItemPage page_;
  ScanControl<LogQuery> control_{query_};
  model::LogBatch decoded_;
};

}  // namespace

absl::Status WriteLogs(const model::LogBatch& batch, Interner* interner, Changes* changes) {
  for (const model::Resource& resource : batch.resources) {
    FLARE_ASSIGN(const uint32_t resource_number,
                 NumberResource(batch, resource, interner, changes));
    for (const model::ItemScope& scope : model::In(batch.scopes, resource.scopes)) {
      FLARE_ASSIGN(const uint32_t scope_number, NumberScope(batch, scope, interner, changes));
      for (const model::LogRecord& record : model::In(batch.log_records, scope.items)) {
        const std::string message = EncodeToString([&](codec::wire::ReverseWriter* out) {
          codec::otlp::EncodeLogRecord(batch, record, out);
        });
        const LogKey key = {.hour = HourOf(record.time_unix_nano),
                            .resource = resource_number,
                            .time = record.time_unix_nano,
                            .content = base::HashContent(message).low};
        changes->Put(Family::kLogs, key.Encode(), LogValue(scope_number, record, message));
        if (model::IsValidTraceId(record.trace_id)) {
          std::string span_id(record.span_id);
          span_id.resize(model::kSpanIdBytes, '\0');
          changes->Put(Family::kLogTraces, EncodeLogTrace(record.trace_id, span_id, key), {});
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SelectedLogs> ReadLogs(const Database& database, const LogQuery& query) {
  FLARE_ASSIGN(ItemPage page, ItemPage::Make(query.order, query.after, query.limit));
  return LogReader(database, query, std::move(page)).Read();
}

absl::Status CheckLogEntry(std::string_view key, std::string_view value) {
  base::ByteReader in(value);
  in.Varint32();
  in.Signed();
  if (!LogKey::Decode(key).has_value() || !in.ok())
    return absl::DataLossError("a stored log record is corrupt");
  model::LogBatch batch;
  return codec::otlp::DecodeLogRecord(in.rest(), {}, &batch);
}

absl::Status CheckLogTraceEntry(std::string_view key) {
  if (!DecodeLogTrace(key).has_value())
    return absl::DataLossError("the index of log records by trace is corrupt");
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks
