// SPDX-License-Identifier: Apache-2.0
#include "demo/item_tree.h"
#include "demo/signals.h"

namespace flarestack::demo {
namespace {

uint32_t Size32(size_t size) { return static_cast<uint32_t>(size); }

model::Slice AddEvents(const std::vector<Event>& events, model::TraceBatch* batch) {
  const model::Slice slice = {Size32(batch->events.size()), Size32(events.size())};
  for (const Event& event : events) {
    batch->events.push_back({.time_unix_nano = event.time_nanos,
                             .name = event.name,
                             .attributes = AddAttributes(event.attributes, batch)});
  }
  return slice;
}

void AddSpan(const Request& request, const Span& span, model::TraceBatch* batch) {
  model::Span out;
  out.trace_id = batch->arena.Copy(request.trace_id);
  out.span_id = batch->arena.Copy(span.span_id);
  if (span.parent >= 0) {
    const Span& parent = request.spans[static_cast<size_t>(span.parent)];
    out.parent_span_id = batch->arena.Copy(parent.span_id);
    out.flags = model::kSpanFlagsHasIsRemote;
    if (parent.process != span.process)
      out.flags |= model::kSpanFlagsIsRemote;
  }
  out.flags |= 1;  // W3C: sampled
  out.name = batch->arena.Copy(span.name);
  out.kind = span.kind;
  out.start_time_unix_nano = span.start_nanos;
  out.end_time_unix_nano = span.end_nanos;
  out.attributes = AddAttributes(span.attributes, batch);
  out.events = AddEvents(span.events, batch);
  if (!span.error.empty()) {
    out.status_code = model::SpanStatusCode::kError;
    out.status_message = batch->arena.Copy(span.error);
  }
  batch->spans.push_back(out);
}

}  // namespace

model::TraceBatch TracesOf(const Window& window) {
  model::TraceBatch batch;
  for (const Process& process : window.processes) {
    const uint32_t begin = Size32(batch.spans.size());
    for (const Request& request : window.requests) {
      for (const Span& span : request.spans) {
        if (span.process == process)
          AddSpan(request, span, &batch);
      }
    }
    if (const uint32_t count = Size32(batch.spans.size()) - begin; count > 0)
      AddProcess(process, {begin, count}, &batch);
  }
  return batch;
}

}  // namespace flarestack::demo
