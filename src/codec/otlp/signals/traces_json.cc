// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/signals_json.h"

#include "base/status.h"
#include "codec/otlp/signals/signal_json.h"

namespace flarestack::codec::otlp {
namespace {

constexpr SignalNames kNames = {
    .resources = "resourceSpans", .scopes = "scopeSpans", .items = "spans"};

class TraceReader : public SignalJsonReader {
 public:
  TraceReader(std::string_view json, const Limits& limits, model::TraceBatch* batch,
              base::Warnings* warnings)
      : SignalJsonReader(json, kNames, limits, batch, warnings), batch_(*batch) {}

 private:
  uint32_t item_count() const final { return static_cast<uint32_t>(batch_.spans.size()); }
  absl::Status ReadItem(Value& value) final;
  absl::Status ReadEvent(Value& value);
  absl::Status ReadLink(Value& value);
  absl::Status ReadStatus(Value& value, model::Span* span);

  model::TraceBatch& batch_;
};

absl::Status TraceReader::ReadItem(Value& value) {
  model::Span span;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"traceId", [&](Value& member) { return in_.ReadLenientHexId(member, &span.trace_id); }},
      {"spanId", [&](Value& member) { return in_.ReadLenientHexId(member, &span.span_id); }},
      {"traceState", [&](Value& member) { return in_.Read(member, &span.trace_state); }},
      {"parentSpanId",
       [&](Value& member) { return in_.ReadLenientHexId(member, &span.parent_span_id); }},
      {"name", [&](Value& member) { return in_.Read(member, &span.name); }},
      {"kind", [&](Value& member) { return ReadEnum(member, &span.kind); }},
      {"startTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &span.start_time_unix_nano); }},
      {"endTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &span.end_time_unix_nano); }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &span.attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &span.dropped_attributes_count); }},
      {"events",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.events, [&](Value& entry) { return ReadEvent(entry); }, &span.events);
       }},
      {"droppedEventsCount",
       [&](Value& member) { return in_.Read(member, &span.dropped_events_count); }},
      {"links",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.links, [&](Value& entry) { return ReadLink(entry); }, &span.links);
       }},
      {"droppedLinksCount",
       [&](Value& member) { return in_.Read(member, &span.dropped_links_count); }},
      {"status", [&](Value& member) { return ReadStatus(member, &span); }},
      {"flags", [&](Value& member) { return in_.Read(member, &span.flags); }},
  }));
  batch_.spans.push_back(span);
  return absl::OkStatus();
}

absl::Status TraceReader::ReadEvent(Value& value) {
  model::SpanEvent event;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &event.time_unix_nano); }},
      {"name", [&](Value& member) { return in_.Read(member, &event.name); }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &event.attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &event.dropped_attributes_count); }},
  }));
  batch_.events.push_back(event);
  return absl::OkStatus();
}

absl::Status TraceReader::ReadLink(Value& value) {
  model::SpanLink link;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"traceId", [&](Value& member) { return in_.ReadLenientHexId(member, &link.trace_id); }},
      {"spanId", [&](Value& member) { return in_.ReadLenientHexId(member, &link.span_id); }},
      {"traceState", [&](Value& member) { return in_.Read(member, &link.trace_state); }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &link.attributes); }},
      {"droppedAttributesCount",
       [&](Value& member) { return in_.Read(member, &link.dropped_attributes_count); }},
      {"flags", [&](Value& member) { return in_.Read(member, &link.flags); }},
  }));
  batch_.links.push_back(link);
  return absl::OkStatus();
}

absl::Status TraceReader::ReadStatus(Value& value, model::Span* span) {
  return in_.Object(value).Read({
      {"message", [&](Value& member) { return in_.Read(member, &span->status_message); }},
      {"code", [&](Value& member) { return ReadEnum(member, &span->status_code); }},
  });
}

class TraceWriter : public SignalJsonWriter {
 public:
  TraceWriter(const model::TraceBatch& batch, WriteBytes write)
      : SignalJsonWriter(batch, kNames, write), batch_(batch) {}

 private:
  void WriteItem(uint32_t index) final;
  void WriteEvent(const model::SpanEvent& event);
  void WriteLink(const model::SpanLink& link);
  void WriteStatus(const model::Span& span);

  const model::TraceBatch& batch_;
};

void TraceWriter::WriteItem(uint32_t index) {
  const model::Span& span = batch_.spans[index];
  out_.HexField("traceId", span.trace_id);
  out_.HexField("spanId", span.span_id);
  out_.StringField("traceState", span.trace_state);
  out_.HexField("parentSpanId", span.parent_span_id);
  out_.StringField("name", span.name);
  EnumField("kind", span.kind);
  out_.IntegerField("startTimeUnixNano", span.start_time_unix_nano);
  out_.IntegerField("endTimeUnixNano", span.end_time_unix_nano);
  WriteAttributes("attributes", span.attributes);
  out_.NumberField("droppedAttributesCount", span.dropped_attributes_count);
  WriteList("events", In(batch_.events, span.events),
            [this](const model::SpanEvent& event) { WriteEvent(event); });
  out_.NumberField("droppedEventsCount", span.dropped_events_count);
  WriteList("links", In(batch_.links, span.links),
            [this](const model::SpanLink& link) { WriteLink(link); });
  out_.NumberField("droppedLinksCount", span.dropped_links_count);
  WriteStatus(span);
  out_.NumberField("flags", span.flags);
}

void TraceWriter::WriteEvent(const model::SpanEvent& event) {
  out_.BeginObject();
  out_.IntegerField("timeUnixNano", event.time_unix_nano);
  out_.StringField("name", event.name);
  WriteAttributes("attributes", event.attributes);
  out_.NumberField("droppedAttributesCount", event.dropped_attributes_count);
  out_.EndObject();
}

void TraceWriter::WriteLink(const model::SpanLink& link) {
  out_.BeginObject();
  out_.HexField("traceId", link.trace_id);
  out_.HexField("spanId", link.span_id);
  out_.StringField("traceState", link.trace_state);
  WriteAttributes("attributes", link.attributes);
  out_.NumberField("droppedAttributesCount", link.dropped_attributes_count);
  out_.NumberField("flags", link.flags);
  out_.EndObject();
}

void TraceWriter::WriteStatus(const model::Span& span) {
  if (span.status_message.empty() && span.status_code == model::SpanStatusCode::kUnset)
    return;
  out_.Name("status");
  out_.BeginObject();
  out_.StringField("message", span.status_message);
  EnumField("code", span.status_code);
  out_.EndObject();
}

}  // namespace

absl::Status DecodeTracesJson(std::string_view json, const Limits& limits, model::TraceBatch* batch,
                              base::Warnings* warnings) {
  batch->Clear();
  absl::Status status = TraceReader(json, limits, batch, warnings).Read();
  if (!status.ok())
    batch->Clear();
  return status;
}

absl::Status EncodeTracesJson(const model::TraceBatch& batch, WriteBytes write) {
  return TraceWriter(batch, write).Write();
}

}  // namespace flarestack::codec::otlp
