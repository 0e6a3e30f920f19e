// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <charconv>
#include <limits>

#include "base/status.h"
#include "query/diff/diff.h"
#include "query/diff/tree_diff.h"
#include "query/flame/value_tree.h"
#include "server/api/parameters.h"
#include "server/api/profiles/flame.h"
#include "server/api/scope_reader.h"

namespace flarestack::server::api {
namespace {

using Kind = Parameter::Kind;

absl::StatusOr<double> ReadCount(const Call& call, std::string_view name) {
  double count = 0;
  const std::string_view text = call.Text(name, "0");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || !(count >= 0))
    return absl::InvalidArgumentError(base::StrCat("`", name, "` must be a number"));
  return count;
}

absl::StatusOr<query::DiffOptions> ReadDiffOptions(const Call& call) {
  query::DiffOptions options;
  const std::string_view norm = call.Text("norm", "share");
  if (norm == "share") {
    options.norm = query::DiffNorm::kShare;
  } else if (norm == "rate") {
    options.norm = query::DiffNorm::kRate;
  } else if (norm == "request") {
    options.norm = query::DiffNorm::kRequest;
  } else if (norm == "none") {
    options.norm = query::DiffNorm::kNone;
  } else {
    return absl::InvalidArgumentError("`norm` must be share, rate, request or none");
  }
  FLARE_ASSIGN(options.requests_after, ReadCount(call, "requests"));
  FLARE_ASSIGN(options.requests_before, ReadCount(call, "b.requests"));
  return options;
}

Json SideJson(const query::DiffSide& side) {
  return {{"total", side.total},
          {"events", side.events},
          {"seconds", static_cast<double>(side.duration_nanos) / 1e9},
          {"instances", side.instance_count}};
}

Json RowsJson(const query::Diff& diff, size_t limit) {
  Json rows = Json::array();
  for (const query::DiffRow& row : diff.rows) {
    if (rows.size() == limit)
      break;
    Json json = {{"function", row.function},
                 {"before", row.before},
                 {"after", row.after},
                 {"self_before", row.self_before},
                 {"self_after", row.self_after},
                 {"delta", row.delta},
                 {"self_delta", row.self_delta},
                 {"probability", row.probability},
                 {"significant", row.is_significant}};
    json["ratio"] = row.ratio.has_value() ? Json(*row.ratio) : Json();
    rows.push_back(std::move(json));
  }
  return rows;
}

Json ExplainJson(const std::vector<query::Explanation>& explanations) {
  Json json = Json::array();
  for (const query::Explanation& one : explanations) {
    json.push_back({{"path", one.path},
                    {"before", one.before},
                    {"after", one.after},
                    {"delta", one.delta},
                    {"part", one.part}});
  }
  return json;
}

absl::StatusOr<Answer> GetDiff(Call& call) {
  FLARE_ASSIGN(query::ProfileScope after_scope, ReadScope(call));
  const Call baseline = call.OfBaseline();
  FLARE_ASSIGN(query::ProfileScope before_scope, ReadScope(baseline, "b."));
  after_scope.by_instance = before_scope.by_instance = true;
  FLARE_ASSIGN(const query::DiffOptions options, ReadDiffOptions(call));
  FLARE_ASSIGN(const query::FlameOptions flame_options, ReadFlameOptions(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 100, .min = 1, .max = 10'000}));
  ScopeReader reader(call);
  ScopeReader baseline_reader(baseline);
  FLARE_ASSIGN(const query::ScopeStacks after, reader.Stacks(after_scope));
  FLARE_ASSIGN(const query::ScopeStacks before, baseline_reader.Stacks(before_scope));
  for (const auto& [of, scope, stacks, side] :
       {std::tuple(&std::as_const(call), &after_scope, &after, "the current side"),
        std::tuple(&baseline, &before_scope, &before, "the baseline")}) {
    FLARE_ASSIGN(const Json why, EmptyFrom(*of, *scope, *stacks));
    if (!why.is_null())
      return WithHint(absl::NotFoundError(base::StrCat("nothing to compare: ", side, " is empty")),
                      why["reason"].get<std::string>());
  }
  FLARE_ASSIGN(const query::Diff diff, query::Compare(before.set, after.set, options));
  const query::Sides sides = {before.set, after.set};
  FLARE_ASSIGN(const query::TreeDiff trees, query::CompareTrees(sides, diff));
  FLARE_ASSIGN(const auto explanations, query::ExplainChange(before.set, after.set, diff));
  FLARE_ASSIGN(query::Flame flame,
               query::CutFlame(query::MakeDiffTree(trees, before.set, after.set), flame_options));
  flame.type = diff.type;
  flame.unit = diff.unit;
  Json head = {
      {"type", diff.type},
      {"unit", diff.unit},
      {"norm", call.Text("norm", "share")},
      {"before", SideJson(diff.before)},
      {"after", SideJson(diff.after)},
      {"scale", diff.scale},
      {"total_delta", diff.total_delta},
      {"total_probability", diff.total_verdict.probability},
      {"total_significant", diff.total_verdict.is_significant},
      {"unbalanced", diff.is_unbalanced},
      {"noise_test", diff.noise_test == query::NoiseTest::kBootstrap ? "bootstrap" : "optimistic"},
      {"explain", ExplainJson(explanations)},
      {"rows", RowsJson(diff, limit)},
      {"row_count", diff.rows.size()}};
  head["total_ratio"] = diff.total_ratio.has_value() ? Json(*diff.total_ratio) : Json();
  Answer response = FlameResponse(call, flame, std::move(head));
  response.scanned = ScannedFrom(after.extent);
  response.scanned.parts += before.extent.parts;
  response.scanned.samples += before.extent.rows;
  if (!before.extent.missing.empty())
    base::StrAppend(&response.scanned.missing, response.scanned.missing.empty() ? "" : "; ",
                    "baseline: ", before.extent.missing);
  return response;
}

}  // namespace

std::vector<Endpoint> CompareEndpoints() {
  return {{.path = "/diff",
           .summary = "compare two scopes by function and by call path",
           .parameters = FlameParameters(ScopeParameters(
               {kTimeoutParameter,
                {.name = "b.q",
                 .summary = "of the baseline; omitted parameters default to those without b."},
                {.name = "b.type", .summary = "of the baseline"},
                {.name = "b.from", .summary = "of the baseline"},
                {.name = "b.to", .summary = "of the baseline"},
                {.name = "b.f", .kind = Kind::kTexts, .summary = "of the baseline"},
                {.name = "b.trace", .summary = "of the baseline"},
                {.name = "b.span", .summary = "of the baseline"},
                {.name = "b.spanscope", .summary = "of the baseline"},
                {.name = "b.spanname", .summary = "of the baseline"},
                {.name = kBaselineScratchParameter,
                 .summary = "upload to use as the baseline, empty for stored data; without b.from "
                            "and b.to, all of it"},
                {.name = "norm",
                 .summary = "normalization: share, rate, request, none",
                 .fallback = "share"},
                {.name = "requests", .summary = "requests served, for norm=request"},
                {.name = "b.requests", .summary = "of the baseline"},
                {.name = "limit",
                 .kind = Kind::kNumber,
                 .summary = "maximum functions in `rows`",
                 .fallback = "100"}})),
           .media_types = {"application/json", "application/vnd.flarestack.flame.v1"},
           .responses = {"Diff"},
           .handler = GetDiff}};
}

}  // namespace flarestack::server::api
