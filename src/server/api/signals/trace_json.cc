// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals/trace_json.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "model/attribute_text.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kLogsShown = 5;  // per span

std::string_view ParentText(query::SpanNode::Parent parent) {
  switch (parent) {
    case query::SpanNode::Parent::kNone:
      return "none";
    case query::SpanNode::Parent::kFound:
      return "found";
    case query::SpanNode::Parent::kMissing:
      return "missing";
    case query::SpanNode::Parent::kCut:
      return "cut";
  }
  return "";
}

}  // namespace

size_t TraceJson::Texts::Find(std::string_view text) {
  const auto at = positions.find(text);
  if (at != positions.end())
    return at->second;
  positions.emplace(text, texts.size());
  texts.emplace_back(text);
  return texts.size() - 1;
}

TraceJson::TraceJson(const model::TraceBatch& batch, size_t spans_max)
    : batch_(batch),
      tree_(query::BuildSpanTree(batch)),
      path_(query::CriticalPath(batch, tree_)),
      span_count_(std::min(spans_max, tree_.nodes.size())) {
  for (size_t i = 0; i < tree_.nodes.size(); ++i) {
    start_ = std::min(start_, tree_.nodes[i].start);
    end_ = std::max(end_, tree_.nodes[i].end);
    if (i < span_count_)
      positions_.emplace(batch.spans[tree_.nodes[i].span].span_id, i);
  }
}

Json TraceJson::Head() const {
  return {{"trace_id", base::HexEncode(batch_.spans[0].trace_id)},
          {"start", TimeJson(start_)},
          {"duration", end_ - start_},
          {"root", tree_.main_root}};
}

Json TraceJson::Spans() {
  const std::vector<uint64_t> self_times = query::SelfTimes(tree_);
  std::vector<bool> is_on_path(tree_.nodes.size());
  for (const query::PathSegment& segment : path_)
    is_on_path[segment.node] = true;
  Json columns = Json::object();
  // Create all columns first to fix their order, which is that of the documentation.
  for (const char* name : {"span_id", "parent", "parent_is", "service", "resource", "name", "start",
                           "duration", "self", "kind", "status", "status_message",
                           "is_on_critical_path", "attributes", "events", "links"})
    columns[name] = Json::array();
  for (size_t i = 0; i < span_count_; ++i) {
    const query::SpanNode& node = tree_.nodes[i];
    const model::Span& span = batch_.spans[node.span];
    const std::string service = query::ServiceName(batch_, batch_.resources[node.resource]);
    const bool has_parent = node.parent != query::kNoNode;
    columns["span_id"].push_back(base::HexEncode(span.span_id));
    columns["parent"].push_back(has_parent ? static_cast<int64_t>(node.parent) : -1);
    columns["parent_is"].push_back(ParentText(node.parent_kind));
    columns["service"].push_back(services_.Find(service));
    columns["resource"].push_back(node.resource);
    columns["name"].push_back(names_.Find(span.name));
    columns["start"].push_back(Offset(node.start));
    columns["duration"].push_back(node.duration());
    columns["self"].push_back(self_times[i]);
    columns["kind"].push_back(KindText(span.kind));
    columns["status"].push_back(StatusText(span.status_code));
    columns["status_message"].push_back(span.status_message);
    columns["is_on_critical_path"].push_back(static_cast<bool>(is_on_path[i]));
    columns["attributes"].push_back(AttributesJson(batch_, span.attributes));
    columns["events"].push_back(Events(span));
    columns["links"].push_back(Links(span));
  }
  return columns;
}

Json TraceJson::Events(const model::Span& span) const {
  Json events = Json::array();
  for (const model::SpanEvent& event : model::In(batch_.events, span.events)) {
    events.push_back({{"time", Offset(event.time_unix_nano)},
                      {"name", event.name},
                      {"attributes", AttributesJson(batch_, event.attributes)}});
  }
  return events;
}

Json TraceJson::Links(const model::Span& span) const {
  Json links = Json::array();
  for (const model::SpanLink& link : model::In(batch_.links, span.links)) {
    links.push_back({{"trace_id", base::HexEncode(link.trace_id)},
                     {"span_id", base::HexEncode(link.span_id)},
                     {"attributes", AttributesJson(batch_, link.attributes)}});
  }
  return links;
}

Json TraceJson::Resources() const {
  Json resources = Json::array();
  for (const model::Resource& resource : batch_.resources)
    resources.push_back({{"attributes", AttributesJson(batch_, resource.attributes)}});
  return resources;
}

Json TraceJson::CriticalPath() const {
  Json segments = Json::array();
  for (const query::PathSegment& segment : path_) {
    if (segment.node < span_count_) {
      segments.push_back(
          {{"span", segment.node}, {"from", Offset(segment.from)}, {"to", Offset(segment.to)}});
    }
  }
  return segments;
}

int64_t TraceJson::PositionOf(std::string_view span_id) const {
  const auto at = positions_.find(span_id);
  return at == positions_.end() ? -1 : static_cast<int64_t>(at->second);
}

Json TraceJson::Logs(const model::LogBatch& logs) const {
  std::map<int64_t, std::vector<const model::LogRecord*>> by_position;
  for (const model::LogRecord& record : logs.log_records)
    by_position[PositionOf(record.span_id)].push_back(&record);
  Json entries = Json::array();
  for (auto& [position, records] : by_position) {
    std::ranges::stable_sort(records, {}, &model::LogRecord::time_unix_nano);
    Json first = Json::array();
    for (size_t i = 0; i < std::min(records.size(), kLogsShown); ++i) {
      first.push_back({{"time", Offset(records[i]->time_unix_nano)},
                       {"severity", static_cast<int32_t>(records[i]->severity_number)},
                       {"body", model::AttributeText(logs, records[i]->body)}});
    }
    entries.push_back({{"span", position}, {"count", records.size()}, {"first", std::move(first)}});
  }
  return entries;
}

Json TraceJson::Samples(
    const std::map<std::string, std::vector<query::SpanSamples>>& samples) const {
  Json entries = Json::array();
  for (const auto& [span_id, of_span] : samples) {
    Json types = Json::array();
    for (const query::SpanSamples& at : of_span)
      types.push_back({{"type", at.type}, {"unit", at.unit}, {"count", at.count}, {"sum", at.sum}});
    entries.push_back({{"span", PositionOf(span_id)},
                       {"span_id", base::HexEncode(span_id)},
                       {"types", std::move(types)}});
  }
  return entries;
}

}  // namespace flarestack::server::api
