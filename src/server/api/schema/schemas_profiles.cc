// SPDX-License-Identifier: Apache-2.0
//
// Responses of the endpoints about profiles.
#include "server/api/schema/schema.h"

namespace flarestack::server::api::schema {
namespace {

std::vector<NamedSchema> FlameSchemas() {
  return {
      {"FlameFrame",
       Object({{"name", Text()},
               Optional("file", Text()),
               Optional("line", Integer()),
               Optional("module", Text(), "the binary"),
               Optional("type", Text(), "kind of frame, such as native or kernel"),
               Optional("flags", ListOf(OneOf({"inlined", "unsymbolised", "folded"})))})},
      {"FlameNodes",
       Object({{"depth", ListOf(Integer())},
               {"frame", ListOf(Integer()), "positions in `frames`"},
               {"self", ListOf(ListOf(Integer())), "one column; of a comparison before and after"},
               {"folded", MapOf(Integer()), "by node: number of nodes folded into it"},
               Optional("probability", ListOf(Number()), "of a comparison, by node")}),
       "nodes in preorder, one array per property"},
      Response("Flame", {{"type", Text()},
                         {"unit", Text()},
                         {"total", Integer()},
                         {"unfiltered", Integer(), "the total without filter steps"},
                         {"path", ListOf(Text()), "functions above the root, outermost first"},
                         {"frames", ListOf(Named("FlameFrame"))},
                         {"nodes", Named("FlameNodes")}}),
      {"SearchRow", Object({{"function", Text()},
                            {"path", Text(), "hash of the call path"},
                            {"depth", Integer()},
                            {"total", Integer()}})},
      Response("SearchResult", {{"type", Text()},
                                {"unit", Text()},
                                {"total", Integer()},
                                {"matched", Integer(), "cost of the stacks with a matching frame"},
                                {"call_paths", Integer(), "how many call paths end in a match"},
                                {"rows", ListOf(Named("SearchRow")), "largest first"}}),
  };
}

std::vector<NamedSchema> FunctionSchemas() {
  return {
      {"TopRow", Object({{"function", Text()},
                         {"file", Text(), "may be empty"},
                         {"line", Integer(), "0: unknown"},
                         {"module", Text(), "may be empty"},
                         {"self", Integer()},
                         {"total", Integer()}})},
      Response("Top", {{"type", Text()},
                       {"unit", Text()},
                       {"total", Integer()},
                       {"rows", ListOf(Named("TopRow"))}}),
      {"Edge", Object({{"function", Text()}, {"value", Integer()}})},
      {"CallersRow", Object({{"function", Text()},
                             {"self", Integer()},
                             {"total", Integer()},
                             {"callers", ListOf(Named("Edge"))},
                             {"callees", ListOf(Named("Edge"))}})},
      Response("Callers", {{"type", Text()},
                           {"unit", Text()},
                           {"total", Integer()},
                           {"rows", ListOf(Named("CallersRow"))}}),
      {"LineRow", Object({{"function", Text()},
                          {"file", Text(), "may be empty"},
                          {"line", Integer(), "0: unknown"},
                          {"self", Integer()},
                          {"total", Integer()},
                          Optional("start_line", Integer(), "first line of the function"),
                          Optional("build_id", Text(), "GNU build id of the program")})},
      Response("Lines", {{"type", Text()},
                         {"unit", Text()},
                         {"total", Integer()},
                         {"rows", ListOf(Named("LineRow"))}}),
      Response("SourceAnswer", {{"file", Text()},
                                {"found", Boolean()},
                                Optional("from", Text(), "\"folder\", or the URL it comes from"),
                                Optional("first_line", Integer(), "number of the first of `lines`"),
                                Optional("line_count", Integer(), "of the whole file"),
                                Optional("lines", ListOf(Text())),
                                Optional("reason", Text(), "why it was not found"),
                                Optional("url", Text(), "the line in its repository")}),
  };
}

std::vector<NamedSchema> TimeSchemas() {
  return {
      {"SeriesLine", Object({{"labels", MapOf(Text())},
                             {"rest", Boolean(), "sum of the lines that are not listed"},
                             {"total", Integer()},
                             {"values", ListOf(Integer()), "one per step"}})},
      Response("Series", {{"type", Text()},
                          {"unit", Text()},
                          {"gauge", Boolean(), "values are averages"},
                          {"from", Time()},
                          {"step_ns", Integer()},
                          {"observed_ns", Integer(), "how much of the range has data"},
                          {"line_count", Integer()},
                          {"lines", ListOf(Named("SeriesLine")), "largest first"}}),
      Response("Heat", {{"type", Text()},
                        {"unit", Text()},
                        {"from", Time()},
                        {"cell_ns", Integer()},
                        {"scale", Integer(), "a value is cells[i] * scale"},
                        {"largest", Integer()},
                        {"cells", ListOf(Integer())},
                        {"has_sample_times", Boolean(), "false: times are those of profiles"}}),
      Response("Samples",
               {{"type", Text()},
                {"unit", Text()},
                {"begin", Time()},
                {"lanes", ListOf(Text())},
                {"functions", ListOf(Text())},
                {"function_types", ListOf(Text()), "kind of frame, by function"},
                {"function_modules", ListOf(Text()), "binary, by function"},
                {"stacks", ListOf(ListOf(Integer())), "positions in `functions`, root first"},
                {"events", Object({{"time", ListOf(Integer()), "nanoseconds from `begin`"},
                                   {"value", ListOf(Integer())},
                                   {"lane", ListOf(Integer()), "positions in `lanes`"},
                                   {"stack", ListOf(Integer()), "positions in `stacks`"}})},
                {"event_count", Integer()},
                {"timeless_count", Integer(), "events that have the time of their profile"},
                {"next", Nullable(Time()), "`from` of the next page"}}),
      {"ProfileRow", Object({{"profile_id", Text()},
                             {"time", Time()},
                             {"duration_ns", Integer()},
                             {"type", Text()},
                             {"unit", Text()},
                             {"samples", Integer()},
                             {"total", Integer()},
                             {"resource", MapOf(Text())}})},
      Response("Profiles", {{"profile_count", Integer()},
                            {"profiles", ListOf(Named("ProfileRow")), "latest first"}}),
  };
}

std::vector<NamedSchema> CatalogueSchemas() {
  return {
      {"Version", Object({{"version", Text()}, {"instances", Integer()}, {"last_seen", Time()}})},
      {"Service", Object({{"service", Text()},
                          {"namespace", Text()},
                          {"types", ListOf(Text()), "NAME:UNIT"},
                          {"versions", ListOf(Named("Version"))},
                          {"named_by", ListOf(Text()), "rules that named it; empty: the sender"},
                          {"instances", Integer()},
                          {"series", Integer()},
                          {"last_seen", Time()}})},
      Response("Services", {{"services", ListOf(Named("Service"))}}),
      {"AttributeKey", Object({{"key", Text()},
                               {"level", OneOf({"resource", "sample"})},
                               {"value_count", Integer()},
                               {"values", ListOf(Text()), "some of them"}})},
      Response("AttributeKeys", {{"keys", ListOf(Named("AttributeKey"))}}),
      Response("AttributeValues",
               {{"key", Text()}, {"value_count", Integer()}, {"values", ListOf(Text())}}),
      Response("Breakdown",
               {{"type", Text()},
                {"unit", Text()},
                {"total", Integer()},
                {"key", Text()},
                {"rows", ListOf(Object({{"value", Text()},
                                        {"missing", Boolean(), "samples without the attribute"},
                                        {"total", Integer()}}))},
                {"other", Object({{"count", Integer(), "values that are not listed"},
                                  {"total", Integer()}})}}),
  };
}

}  // namespace

std::vector<NamedSchema> ProfileSchemas() {
  std::vector<NamedSchema> all;
  for (const auto& part : {FlameSchemas(), FunctionSchemas(), TimeSchemas(), CatalogueSchemas()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace flarestack::server::api::schema
