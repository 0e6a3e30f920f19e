// SPDX-License-Identifier: Apache-2.0
#include "query/testing/trace_text.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace flarestack::query::testing {
namespace {

void AddResource(const std::string& service, const std::vector<model::Span>& spans,
                 model::TraceBatch* batch) {
  const auto here = [](const auto& pool) { return static_cast<uint32_t>(pool.size()); };
  model::Resource resource;
  resource.attributes = {.begin = here(batch->nodes), .count = 1};
  resource.scopes = {.begin = here(batch->scopes), .count = 1};
  batch->nodes.push_back({.key = "service.name",
                          .key_index = {},
                          .value = model::AnyValue::String(batch->arena.Copy(service))});
  model::ItemScope scope;
  scope.items = {.begin = here(batch->spans), .count = here(spans)};
  batch->scopes.push_back(scope);
  batch->resources.push_back(resource);
  batch->spans.insert(batch->spans.end(), spans.begin(), spans.end());
}

}  // namespace

model::TraceBatch TraceFromText(std::string_view text) {
  model::TraceBatch batch;
  std::map<std::string, std::vector<model::Span>> by_service;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string service;
    std::string id;
    std::string parent;
    std::string kind;
    model::Span span;
    if (!(words >> service >> id >> parent >> span.start_time_unix_nano >> span.end_time_unix_nano))
      continue;
    words >> kind;
    span.span_id = batch.arena.Copy(id);
    span.name = span.span_id;
    if (parent != "-")
      span.parent_span_id = batch.arena.Copy(parent);
    if (kind == "consumer")
      span.kind = model::SpanKind::kConsumer;
    by_service[service].push_back(span);
  }
  for (const auto& [service, spans] : by_service)
    AddResource(service, spans, &batch);
  return batch;
}

}  // namespace flarestack::query::testing
