// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/logs_protobuf.h"

#include "codec/otlp/signals/signal_protobuf.h"

namespace flarestack::codec::otlp {
namespace {

using model::LogRecord;
using wire::kBytes;
using wire::kFixed32;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

class LogDecoder : public SignalDecoder {
 public:
  LogDecoder(const Limits& limits, model::LogBatch* batch)
      : SignalDecoder(limits, batch), batch_(*batch) {}

  void DecodeItem(std::string_view bytes) final {
    if (!HasRoom(batch_.log_records, "log records"))
      return;
    LogRecord record;
    record.attributes = DecodeAttributes(bytes, 6);
    for (Reader in(bytes, &state_.fault); in.Next();)
      DecodeField(in, &record);
    batch_.log_records.push_back(record);
  }

 private:
  uint32_t item_count() const final { return SizeOf(batch_.log_records); }
  void DecodeField(Reader& in, LogRecord* record);

  model::LogBatch& batch_;
};

void LogDecoder::DecodeField(Reader& in, LogRecord* record) {
  switch (in.tag()) {
    case Tag(1, kFixed64):
      record->time_unix_nano = in.Fixed64();
      break;
    case Tag(2, kVarint):
      record->severity_number = static_cast<model::SeverityNumber>(in.Varint());
      break;
    case Tag(3, kBytes):
      record->severity_text = in.Bytes();
      break;
    case Tag(5, kBytes):
      record->body = DecodeAnyValue(in.Bytes());
      break;
    case Tag(7, kVarint):
      record->dropped_attributes_count = static_cast<uint32_t>(in.Varint());
      break;
    case Tag(8, kFixed32):
      record->flags = in.Fixed32();
      break;
    case Tag(9, kBytes):
      record->trace_id = in.Bytes();
      break;
    case Tag(10, kBytes):
      record->span_id = in.Bytes();
      break;
    case Tag(11, kFixed64):
      record->observed_time_unix_nano = in.Fixed64();
      break;
    case Tag(12, kBytes):
      record->event_name = in.Bytes();
      break;
    default:
      in.Skip();
  }
}

class LogEncoder : public SignalEncoder {
 public:
  LogEncoder(const model::LogBatch& batch, wire::ReverseWriter* out)
      : SignalEncoder(batch, out), batch_(batch) {}

  // Read from bottom to top: fields are written from last to first.
  void Fields(const LogRecord& record) {
    out_.BytesUnlessEmpty(12, record.event_name);
    out_.Fixed64UnlessZero(11, record.observed_time_unix_nano);
    out_.BytesUnlessEmpty(10, record.span_id);
    out_.BytesUnlessEmpty(9, record.trace_id);
    out_.Fixed32UnlessZero(8, record.flags);
    out_.VarintUnlessZero(7, record.dropped_attributes_count);
    values().KeyValues(6, record.attributes);
    if (record.body.kind != model::AnyValue::Kind::kEmpty)
      values().Value(5, record.body);
    out_.BytesUnlessEmpty(3, record.severity_text);
    out_.EnumUnlessZero(2, record.severity_number);
    out_.Fixed64UnlessZero(1, record.time_unix_nano);
  }

 private:
  void Item(uint32_t index) final { Fields(batch_.log_records[index]); }

  const model::LogBatch& batch_;
};

}  // namespace

absl::Status DecodeLogs(std::string_view bytes, const Limits& limits, model::LogBatch* batch) {
  batch->Clear();
  LogDecoder decoder(limits, batch);
  decoder.DecodeRequest(bytes);
  absl::Status status = decoder.ToStatus(bytes, "logs");
  if (!status.ok())
    batch->Clear();
  return status;
}

void EncodeLogs(const model::LogBatch& batch, wire::ReverseWriter* out) {
  LogEncoder(batch, out).Request();
}

void EncodeLogRecord(const model::LogBatch& batch, const LogRecord& record,
                     wire::ReverseWriter* out) {
  LogEncoder(batch, out).Fields(record);
}

absl::Status DecodeLogRecord(std::string_view bytes, const Limits& limits, model::LogBatch* batch) {
  const size_t count = batch->log_records.size();
  LogDecoder decoder(limits, batch);
  decoder.DecodeItem(bytes);
  absl::Status status = decoder.ToStatus(bytes, "LogRecord");
  if (!status.ok())
    batch->log_records.resize(count);
  return status;
}

}  // namespace flarestack::codec::otlp
