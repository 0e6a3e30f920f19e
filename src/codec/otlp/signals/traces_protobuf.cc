// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/traces_protobuf.h"

#include "codec/otlp/signals/signal_protobuf.h"

namespace flarestack::codec::otlp {
namespace {

using model::Span;
using wire::kBytes;
using wire::kFixed32;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

class TraceDecoder : public SignalDecoder {
 public:
  TraceDecoder(const Limits& limits, model::TraceBatch* batch)
      : SignalDecoder(limits, batch), batch_(*batch) {}

  void DecodeItem(std::string_view bytes) final;

 private:
  uint32_t item_count() const final { return SizeOf(batch_.spans); }
  void DecodeSpanField(Reader& in, Span* span);
  void DecodeEvent(std::string_view bytes);
  void DecodeLink(std::string_view bytes);
  void DecodeStatus(std::string_view bytes, Span* span);

  model::TraceBatch& batch_;
};

// Events and links contain only attributes, so those of one span are contiguous.
void TraceDecoder::DecodeItem(std::string_view bytes) {
  if (!HasRoom(batch_.spans, "spans"))
    return;
  Span span;
  span.attributes = DecodeAttributes(bytes, 9);
  const uint32_t events_begin = SizeOf(batch_.events);
  const uint32_t links_begin = SizeOf(batch_.links);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(11, kBytes):
        DecodeEvent(in.Bytes());
        break;
      case Tag(13, kBytes):
        DecodeLink(in.Bytes());
        break;
      case Tag(15, kBytes):
        DecodeStatus(in.Bytes(), &span);
        break;
      default:
        DecodeSpanField(in, &span);
    }
  }
  span.events = SliceFrom(events_begin, batch_.events);
  span.links = SliceFrom(links_begin, batch_.links);
  batch_.spans.push_back(span);
}

void TraceDecoder::DecodeSpanField(Reader& in, Span* span) {
  switch (in.tag()) {
    case Tag(1, kBytes):
      span->trace_id = in.Bytes();
      break;
    case Tag(2, kBytes):
      span->span_id = in.Bytes();
      break;
    case Tag(3, kBytes):
      span->trace_state = in.Bytes();
      break;
    case Tag(4, kBytes):
      span->parent_span_id = in.Bytes();
      break;
    case Tag(5, kBytes):
      span->name = in.Bytes();
      break;
    case Tag(6, kVarint):
      span->kind = static_cast<model::SpanKind>(in.Varint());
      break;
    case Tag(7, kFixed64):
      span->start_time_unix_nano = in.Fixed64();
      break;
    case Tag(8, kFixed64):
      span->end_time_unix_nano = in.Fixed64();
      break;
    case Tag(10, kVarint):
      span->dropped_attributes_count = static_cast<uint32_t>(in.Varint());
      break;
    case Tag(12, kVarint):
      span->dropped_events_count = static_cast<uint32_t>(in.Varint());
      break;
    case Tag(14, kVarint):
      span->dropped_links_count = static_cast<uint32_t>(in.Varint());
      break;
    case Tag(16, kFixed32):
      span->flags = in.Fixed32();
      break;
    default:
      in.Skip();
  }
}

void TraceDecoder::DecodeEvent(std::string_view bytes) {
  if (!HasRoom(batch_.events, "events"))
    return;
  model::SpanEvent event;
  event.attributes = DecodeAttributes(bytes, 3);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kFixed64):
        event.time_unix_nano = in.Fixed64();
        break;
      case Tag(2, kBytes):
        event.name = in.Bytes();
        break;
      case Tag(4, kVarint):
        event.dropped_attributes_count = static_cast<uint32_t>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  batch_.events.push_back(event);
}

void TraceDecoder::DecodeLink(std::string_view bytes) {
  if (!HasRoom(batch_.links, "links"))
    return;
  model::SpanLink link;
  link.attributes = DecodeAttributes(bytes, 4);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        link.trace_id = in.Bytes();
        break;
      case Tag(2, kBytes):
        link.span_id = in.Bytes();
        break;
      case Tag(3, kBytes):
        link.trace_state = in.Bytes();
        break;
      case Tag(5, kVarint):
        link.dropped_attributes_count = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(6, kFixed32):
        link.flags = in.Fixed32();
        break;
      default:
        in.Skip();
    }
  }
  batch_.links.push_back(link);
}

void TraceDecoder::DecodeStatus(std::string_view bytes, Span* span) {
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(2, kBytes):
        span->status_message = in.Bytes();
        break;
      case Tag(3, kVarint):
        span->status_code = static_cast<model::SpanStatusCode>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
}

// Read each function from bottom to top: fields are written from last to first.
class TraceEncoder : public SignalEncoder {
 public:
  TraceEncoder(const model::TraceBatch& batch, wire::ReverseWriter* out)
      : SignalEncoder(batch, out), batch_(batch) {}

  void Fields(const Span& span) {
    out_.Fixed32UnlessZero(16, span.flags);
    Status(span);
    out_.VarintUnlessZero(14, span.dropped_links_count);
    for (uint32_t i = span.links.count; i-- > 0;)
      Link(batch_.links[span.links.begin + i]);
    out_.VarintUnlessZero(12, span.dropped_events_count);
    for (uint32_t i = span.events.count; i-- > 0;)
      Event(batch_.events[span.events.begin + i]);
    out_.VarintUnlessZero(10, span.dropped_attributes_count);
    values().KeyValues(9, span.attributes);
    out_.Fixed64UnlessZero(8, span.end_time_unix_nano);
    out_.Fixed64UnlessZero(7, span.start_time_unix_nano);
    out_.EnumUnlessZero(6, span.kind);
    out_.BytesUnlessEmpty(5, span.name);
    out_.BytesUnlessEmpty(4, span.parent_span_id);
    out_.BytesUnlessEmpty(3, span.trace_state);
    out_.BytesUnlessEmpty(2, span.span_id);
    out_.BytesUnlessEmpty(1, span.trace_id);
  }

 private:
  void Item(uint32_t index) final { Fields(batch_.spans[index]); }

  void Status(const Span& span) {
    if (span.status_message.empty() && span.status_code == model::SpanStatusCode::kUnset)
      return;
    const size_t end = out_.size();
    out_.EnumUnlessZero(3, span.status_code);
    out_.BytesUnlessEmpty(2, span.status_message);
    out_.CloseMessage(15, end);
  }

  void Event(const model::SpanEvent& event) {
    const size_t end = out_.size();
    out_.VarintUnlessZero(4, event.dropped_attributes_count);
    values().KeyValues(3, event.attributes);
    out_.BytesUnlessEmpty(2, event.name);
    out_.Fixed64UnlessZero(1, event.time_unix_nano);
    out_.CloseMessage(11, end);
  }

  void Link(const model::SpanLink& link) {
    const size_t end = out_.size();
    out_.Fixed32UnlessZero(6, link.flags);
    out_.VarintUnlessZero(5, link.dropped_attributes_count);
    values().KeyValues(4, link.attributes);
    out_.BytesUnlessEmpty(3, link.trace_state);
    out_.BytesUnlessEmpty(2, link.span_id);
    out_.BytesUnlessEmpty(1, link.trace_id);
    out_.CloseMessage(13, end);
  }

  const model::TraceBatch& batch_;
};

}  // namespace

absl::Status DecodeTraces(std::string_view bytes, const Limits& limits, model::TraceBatch* batch) {
  batch->Clear();
  TraceDecoder decoder(limits, batch);
  decoder.DecodeRequest(bytes);
  absl::Status status = decoder.ToStatus(bytes, "traces");
  if (!status.ok())
    batch->Clear();
  return status;
}

void EncodeTraces(const model::TraceBatch& batch, wire::ReverseWriter* out) {
  TraceEncoder(batch, out).Request();
}

void EncodeSpan(const model::TraceBatch& batch, const Span& span, wire::ReverseWriter* out) {
  TraceEncoder(batch, out).Fields(span);
}

absl::Status DecodeSpan(std::string_view bytes, const Limits& limits, model::TraceBatch* batch) {
  const size_t count = batch->spans.size();
  TraceDecoder decoder(limits, batch);
  decoder.DecodeItem(bytes);
  absl::Status status = decoder.ToStatus(bytes, "Span");
  if (!status.ok())
    batch->spans.resize(count);
  return status;
}

}  // namespace flarestack::codec::otlp
