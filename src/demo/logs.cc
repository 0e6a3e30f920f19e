// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "demo/item_tree.h"
#include "demo/signals.h"

namespace flarestack::demo {
namespace {

std::string_view SeverityText(model::SeverityNumber severity) {
  switch (severity) {
    case model::SeverityNumber::kDebug:
      return "DEBUG";
    case model::SeverityNumber::kWarn:
      return "WARN";
    case model::SeverityNumber::kError:
      return "ERROR";
    default:
      return "INFO";
  }
}

model::LogRecord& AddLine(const LogLine& line, model::LogBatch* batch) {
  model::LogRecord record;
  record.time_unix_nano = line.time_nanos;
  record.observed_time_unix_nano = line.time_nanos;
  record.severity_number = line.severity;
  record.severity_text = SeverityText(line.severity);
  record.body = model::AnyValue::String(batch->arena.Copy(line.body));
  record.attributes = AddAttributes(line.attributes, batch);
  return batch->log_records.emplace_back(record);
}

void AddRequestLines(const Process& process, const Request& request, model::LogBatch* batch) {
  for (const Span& span : request.spans) {
    if (span.process != process)
      continue;
    for (LogLine line : span.logs) {
      for (Attribute& attribute : ThreadOf(process, span.thread))
        line.attributes.push_back(std::move(attribute));
      model::LogRecord& record = AddLine(line, batch);
      record.trace_id = batch->arena.Copy(request.trace_id);
      record.span_id = batch->arena.Copy(span.span_id);
      record.flags = 1;  // W3C: sampled
    }
  }
}

// The log lines of the new version when it starts, before any request.
void AddStartLines(const Process& process, const Window& window, model::LogBatch* batch) {
  if (!process.is_new_version || kRolloutWindows[process.instance] != window.index)
    return;
  constexpr uint64_t kMilli = 1'000'000;
  AddLine({.time_nanos = window.begin_nanos,
           .body = "checkout 1.4.2 started",
           .attributes = ThreadOf(process, kWorkers)},
          batch);
  Attributes attributes = ThreadOf(process, kWorkers);
  attributes.push_back({"coupon.rule", "^SUMMER(A+)+B$"});
  attributes.push_back({"code.file.path", "coupon.cc"});
  attributes.push_back({"code.line.number", int64_t{32}});
  AddLine({.time_nanos = window.begin_nanos + 2 * kMilli,
           .body = "coupon rule loaded: ^SUMMER(A+)+B$",
           .attributes = std::move(attributes)},
          batch);
}

}  // namespace

model::LogBatch LogsOf(const Window& window) {
  model::LogBatch batch;
  for (const Process& process : window.processes) {
    const auto begin = static_cast<uint32_t>(batch.log_records.size());
    AddStartLines(process, window, &batch);
    for (const Request& request : window.requests)
      AddRequestLines(process, request, &batch);
    if (const auto count = static_cast<uint32_t>(batch.log_records.size()) - begin; count > 0)
      AddProcess(process, {begin, count}, &batch);
  }
  return batch;
}

}  // namespace flarestack::demo
