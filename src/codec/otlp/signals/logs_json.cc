// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/signals_json.h"

#include "base/status.h"
#include "codec/otlp/signals/signal_json.h"

namespace flarestack::codec::otlp {
namespace {

constexpr SignalNames kNames = {
    .resources = "resourceLogs", .scopes = "scopeLogs", .items = "logRecords"};

class LogReader : public SignalJsonReader {
 public:
  LogReader(std::string_view json, const Limits& limits, model::LogBatch* batch,
            base::Warnings* warnings)
      : SignalJsonReader(json, kNames, limits, batch, warnings), batch_(*batch) {}

 private:
  uint32_t item_count() const final { return static_cast<uint32_t>(batch_.log_records.size()); }
  absl::Status ReadItem(Value& value) final;

  model::LogBatch& batch_;
};

absl::Status LogReader::ReadItem(Value& value) {
  model::LogRecord record;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &record.time_unix_nano); }},
      {"severityNumber", [&](Value& member) { return ReadEnum(member, &record.severity_number); }},
      {"severityText", [&](Value& member) { return in_.Read(member, &record.severity_text); }},
      {"body", [&](Value& member) { return ReadAnyValue(member, &record.body); }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &record.attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &record.dropped_attributes_count); }},
      {"flags", [&](Value& member) { return in_.Read(member, &record.flags); }},
      {"traceId", [&](Value& member) { return in_.ReadLenientHexId(member, &record.trace_id); }},
      {"spanId", [&](Value& member) { return in_.ReadLenientHexId(member, &record.span_id); }},
      {"observedTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &record.observed_time_unix_nano); }},
      {"eventName", [&](Value& member) { return in_.Read(member, &record.event_name); }},
  }));
  batch_.log_records.push_back(record);
  return absl::OkStatus();
}

class LogWriter : public SignalJsonWriter {
 public:
  LogWriter(const model::LogBatch& batch, WriteBytes write)
      : SignalJsonWriter(batch, kNames, write), batch_(batch) {}

 private:
  void WriteItem(uint32_t index) final;

  const model::LogBatch& batch_;
};

void LogWriter::WriteItem(uint32_t index) {
  const model::LogRecord& record = batch_.log_records[index];
  out_.IntegerField("timeUnixNano", record.time_unix_nano);
  EnumField("severityNumber", record.severity_number);
  out_.StringField("severityText", record.severity_text);
  WriteAnyValue("body", record.body);
  WriteAttributes("attributes", record.attributes);
  out_.NumberField("droppedAttributesCount", record.dropped_attributes_count);
  out_.NumberField("flags", record.flags);
  out_.HexField("traceId", record.trace_id);
  out_.HexField("spanId", record.span_id);
  out_.IntegerField("observedTimeUnixNano", record.observed_time_unix_nano);
  out_.StringField("eventName", record.event_name);
}

}  // namespace

absl::Status DecodeLogsJson(std::string_view json, const Limits& limits, model::LogBatch* batch,
                            base::Warnings* warnings) {
  batch->Clear();
  absl::Status status = LogReader(json, limits, batch, warnings).Read();
  if (!status.ok())
    batch->Clear();
  return status;
}

absl::Status EncodeLogsJson(const model::LogBatch& batch, WriteBytes write) {
  return LogWriter(batch, write).Write();
}

}  // namespace flarestack::codec::otlp
