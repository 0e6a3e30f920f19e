// SPDX-License-Identifier: Apache-2.0
#include "server/api/profiles/flame.h"

#include <charconv>

#include "base/status.h"
#include "query/flame/flame_container.h"
#include "query/flame/tree_search.h"
#include "query/reports/line_costs.h"
#include "query/reports/neighbours.h"
#include "query/reports/top.h"
#include "query/stacks/frame_matcher.h"
#include "query/stacks/path_hash.h"
#include "server/api/endpoints.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

constexpr uint64_t kNodesMax = 1'000'000;
constexpr uint64_t kRowsMax = 10'000;

Json FrameJson(const query::TreeFrame& frame) {
  Json json = {{"name", frame.name}};
  if (!frame.file.empty())
    json["file"] = frame.file;
  if (frame.line != 0)
    json["line"] = frame.line;
  if (!frame.module.empty())
    json["module"] = frame.module;
  if (!frame.type.empty())
    json["type"] = frame.type;
  Json flags = Json::array();
  if ((frame.flags & query::TreeFrame::kInlined) != 0)
    flags.push_back("inlined");
  if ((frame.flags & query::TreeFrame::kUnsymbolised) != 0)
    flags.push_back("unsymbolised");
  if ((frame.flags & query::TreeFrame::kFolded) != 0)
    flags.push_back("folded");
  if (!flags.empty())
    json["flags"] = std::move(flags);
  return json;
}

Json TreeJson(const query::Flame& flame) {
  Json frames = Json::array();
  for (const query::TreeFrame& frame : flame.frames)
    frames.push_back(FrameJson(frame));
  Json depths = Json::array();
  Json frame_numbers = Json::array();
  Json folded = Json::object();
  for (size_t i = 0; i < flame.nodes.size(); ++i) {
    depths.push_back(flame.nodes[i].depth);
    frame_numbers.push_back(flame.nodes[i].frame);
    if (flame.nodes[i].folded != 0)
      folded[std::to_string(i)] = flame.nodes[i].folded;
  }
  Json nodes = {{"depth", std::move(depths)},
                {"frame", std::move(frame_numbers)},
                {"self", flame.self},
                {"folded", std::move(folded)}};
  if (!flame.probabilities.empty())
    nodes["probability"] = flame.probabilities;
  return {{"path", flame.path}, {"frames", std::move(frames)}, {"nodes", std::move(nodes)}};
}

absl::StatusOr<query::ValueTree> TreeFor(const Call& call, const query::StackSet& set) {
  const std::string_view side = call.Text("side", "callees");
  if (side != "callees" && side != "callers")
    return absl::InvalidArgumentError("`side` must be callees or callers");
  const bool is_callers = side == "callers";
  const auto pivot = call.Find("pivot");
  if (!pivot.has_value())
    return is_callers ? query::MakeInvertedTree(set) : query::MakeValueTree(set);
  return query::MakePivotTree(set, *pivot,
                              is_callers ? query::PivotSide::kCallers : query::PivotSide::kCallees);
}

absl::StatusOr<Answer> GetFlame(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  FLARE_ASSIGN(const query::FlameOptions options, ReadFlameOptions(call));
  ScopeReader reader(call);
  FLARE_ASSIGN(const query::ScopeStacks stacks, reader.Stacks(scope));
  FLARE_ASSIGN(query::ValueTree tree, TreeFor(call, stacks.set));
  FLARE_ASSIGN(query::Flame flame, query::CutFlame(std::move(tree), options));
  flame.type = stacks.set.type;
  flame.unit = stacks.set.unit;
  Json head = ProfileHead(stacks.set);
  head["unfiltered"] = stacks.total_before_filter;
  Answer response = FlameResponse(call, flame, std::move(head));
  response.scanned = ScannedFrom(stacks.extent);
  FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, stacks));
  return response;
}

absl::StatusOr<Answer> GetSearch(Call& call) {
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  FLARE_ASSIGN(const query::TreeQuery query, query::ParseTreeQuery(call.Text("text")));
  query::TreeSearchOptions options;
  if (const auto text = call.Find("root")) {
    FLARE_ASSIGN(options.root, query::ParsePathHash(*text));
  }
  FLARE_ASSIGN(options.matches_max,
               ReadNumber(call, "limit", {.fallback = 200, .min = 1, .max = kRowsMax}));
  ScopeReader reader(call);
  FLARE_ASSIGN(const query::ScopeStacks stacks, reader.Stacks(scope));
  FLARE_ASSIGN(const query::ValueTree tree, query::MakeValueTree(stacks.set));
  FLARE_ASSIGN(const query::TreeMatches found, query::SearchTree(tree, query, options));
  Json rows = Json::array();
  for (const query::TreeMatch& match : found.largest) {
    rows.push_back({{"function", match.name},
                    {"path", query::PathHashText(match.path)},
                    {"depth", match.depth},
                    {"total", match.total}});
  }
  Answer response;
  response.json = {
      {"type", stacks.set.type},  {"unit", stacks.set.unit},        {"total", found.all},
      {"matched", found.matched}, {"call_paths", found.path_count}, {"rows", std::move(rows)}};
  response.scanned = ScannedFrom(stacks.extent);
  FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, stacks));
  return response;
}

// The common part of the endpoints below: stacks in, rows out.
using Rows = std::function<absl::StatusOr<Json>(const Call&, const query::StackSet&)>;
Handler RowsHandler(Rows rows, bool keeps_places = false) {
  return [rows = std::move(rows), keeps_places](Call& call) -> absl::StatusOr<Answer> {
    FLARE_ASSIGN(query::ProfileScope scope, ReadScope(call));
    scope.keeps_places = keeps_places;
    ScopeReader reader(call);
    FLARE_ASSIGN(const query::ScopeStacks stacks, reader.Stacks(scope));
    Answer response = {.json = ProfileHead(stacks.set)};
    FLARE_ASSIGN(response.json["rows"], rows(call, stacks.set));
    response.scanned = ScannedFrom(stacks.extent);
    FLARE_ASSIGN(response.empty, EmptyFrom(call, scope, stacks));
    return response;
  };
}

absl::StatusOr<Json> TopRows(const Call& call, const query::StackSet& set) {
  const std::string_view sort = call.Text("sort", "self");
  if (sort != "self" && sort != "total")
    return absl::InvalidArgumentError("`sort` must be self or total");
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 100, .min = 1, .max = kRowsMax}));
  Json rows = Json::array();
  for (const query::TopRow& row :
       query::Top(set, sort == "self" ? query::TopOrder::kSelf : query::TopOrder::kTotal)) {
    if (rows.size() == limit)
      break;
    const query::Frame& frame = set.table.At(row.frame);
    rows.push_back({{"function", set.table.Text(frame.function)},
                    {"file", set.table.Text(frame.file)},
                    {"line", frame.line},
                    {"module", set.table.Text(frame.module)},
                    {"self", row.self},
                    {"total", row.total}});
  }
  return rows;
}

absl::StatusOr<query::Pattern> FunctionPattern(const Call& call) {
  const auto function = call.Find("fn");
  if (!function.has_value())
    return absl::InvalidArgumentError("`fn` is missing: exact function name, or /REGEX/");
  if (function->size() > 2 && function->starts_with('/') && function->ends_with('/'))
    return query::Pattern::Make(std::string(function->substr(1, function->size() - 2)));
  return query::Pattern::Exactly(*function);
}

absl::StatusOr<Json> CallerRows(const Call& call, const query::StackSet& set) {
  FLARE_ASSIGN(const query::Pattern pattern, FunctionPattern(call));
  const auto list = [&](const std::vector<query::Neighbour>& neighbours) {
    Json json = Json::array();
    for (const query::Neighbour& one : neighbours)
      json.push_back({{"function", set.table.Text(one.function)}, {"value", one.value}});
    return json;
  };
  Json rows = Json::array();
  for (const query::Neighbourhood& one : query::Neighbours(set, pattern)) {
    rows.push_back({{"function", set.table.Text(one.function)},
                    {"self", one.self},
                    {"total", one.total},
                    {"callers", list(one.callers)},
                    {"callees", list(one.callees)}});
  }
  return rows;
}

absl::StatusOr<Json> LineRows(const Call& call, const query::StackSet& set) {
  FLARE_ASSIGN(const query::Pattern pattern, FunctionPattern(call));
  Json rows = Json::array();
  for (const query::LineCost& cost : query::LineCosts(set, pattern)) {
    rows.push_back({{"function", set.table.Text(cost.function)},
                    {"file", set.table.Text(cost.file)},
                    {"line", cost.line},
                    {"self", cost.self},
                    {"total", cost.total}});
    const query::FunctionPlace* const place = set.PlaceOf(cost.function, cost.file);
    if (place != nullptr && place->start_line > 0)
      rows.back()["start_line"] = place->start_line;
    if (place != nullptr && !place->build_id.empty())
      rows.back()["build_id"] = place->build_id;
  }
  return rows;
}

}  // namespace

absl::StatusOr<query::FlameOptions> ReadFlameOptions(const Call& call) {
  query::FlameOptions options;
  FLARE_ASSIGN(const uint64_t nodes,
               ReadNumber(call, "nodes", {.fallback = 20'000, .min = 1, .max = kNodesMax}));
  options.nodes_max = static_cast<uint32_t>(nodes);
  FLARE_ASSIGN(const uint64_t depth,
               ReadNumber(call, "depth", {.fallback = UINT32_MAX, .min = 1, .max = UINT32_MAX}));
  options.depth_max = static_cast<uint32_t>(depth);
  if (const auto text = call.Find("min")) {
    const auto [end, error] =
        std::from_chars(text->data(), text->data() + text->size(), options.share_min);
    if (error != std::errc() || end != text->data() + text->size() || !(options.share_min >= 0) ||
        options.share_min > 1)
      return absl::InvalidArgumentError("`min` must be a share from 0 to 1");
  }
  if (const auto text = call.Find("root")) {
    FLARE_ASSIGN(options.root, query::ParsePathHash(*text));
  }
  const std::string_view order = call.Text("order", "value");
  if (order != "value" && order != "name")
    return absl::InvalidArgumentError("`order` must be value or name");
  options.order = order == "name" ? query::SiblingOrder::kName : query::SiblingOrder::kValue;
  return options;
}

std::vector<Parameter> FlameParameters(std::vector<Parameter> before) {
  for (const Parameter& parameter : std::initializer_list<Parameter>{
           {.name = "nodes",
            .kind = Kind::kNumber,
            .summary = "maximum nodes; the rest is folded into \"(other)\"",
            .fallback = "20000"},
           {.name = "min", .summary = "omit nodes below this share of the total"},
           {.name = "depth", .kind = Kind::kNumber, .summary = "maximum depth"},
           {.name = "root", .summary = "zoom into the call path with this hash"},
           {.name = "order", .summary = "order of siblings: value or name", .fallback = "value"}})
    before.push_back(parameter);
  return before;
}

Answer FlameResponse(const Call& call, const query::Flame& flame, Json head) {
  Answer response;
  if (call.request.headers.Get("Accept").find(query::kFlameMediaType) != std::string_view::npos) {
    response.bytes = query::EncodeFlame(flame);
    response.content_type = query::kFlameMediaType;
    return response;
  }
  response.json = std::move(head);
  Json tree = TreeJson(flame);
  for (auto& [name, value] : tree.items())
    response.json[name] = std::move(value);
  return response;
}

std::vector<Endpoint> FlameEndpoints() {
  constexpr Parameter kFunction = {.name = "fn", .summary = "function name, or /REGEX/"};
  return {
      {.path = "/flame",
       .summary = "flame graph: stacks merged into a tree",
       .parameters = FlameParameters(ScopeParameters(
           {kTimeoutParameter,
            {.name = "pivot", .summary = "only the callees or callers of this function"},
            {.name = "side",
             .summary = "callees or callers; callers without pivot: all stacks, leaf first",
             .fallback = "callees"}})),
       .media_types = {"application/json", query::kFlameMediaType},
       .responses = {"Flame"},
       .handler = GetFlame},
      {.path = "/search",
       .summary = "cost of stacks with a matching frame, and the matching call paths",
       .parameters = ScopeParameters(
           {kTimeoutParameter,
            {.name = "text", .summary = "text or /REGEX/ in names; file:, mod: or type: before it"},
            {.name = "root", .summary = "search below the call path with this hash"},
            {.name = "limit",
             .kind = Kind::kNumber,
             .summary = "maximum call paths, largest first",
             .fallback = "200"}}),
       .responses = {"SearchResult"},
       .handler = GetSearch},
      {.path = "/top",
       .summary = "functions by cost",
       .parameters =
           ScopeParameters({kTimeoutParameter,
                            {.name = "sort", .summary = "self or total", .fallback = "self"},
                            {.name = "limit",
                             .kind = Kind::kNumber,
                             .summary = "maximum functions",
                             .fallback = "100"}}),
       .responses = {"Top"},
       .handler = RowsHandler(TopRows)},
      {.path = "/callers",
       .summary = "callers and callees of a function",
       .parameters = ScopeParameters({kTimeoutParameter, kFunction}),
       .responses = {"Callers"},
       .handler = RowsHandler(CallerRows)},
      {.path = "/lines",
       .summary = "cost per source line of a function",
       .parameters = ScopeParameters({kTimeoutParameter, kFunction}),
       .responses = {"Lines"},
       .handler = RowsHandler(LineRows, true)},
  };
}

}  // namespace flarestack::server::api
