// SPDX-License-Identifier: Apache-2.0
//
// Responses of the endpoints about traces, logs and metrics, and about links between signals.
#include "server/api/schema/schema.h"

namespace flarestack::server::api::schema {
namespace {

Schema SpanColumns() {
  const Schema event = Object({{"time", Integer(), "nanoseconds from the start of the trace"},
                               {"name", Text()},
                               {"attributes", Named("AttributeMap")}});
  const Schema link =
      Object({{"trace_id", Text()}, {"span_id", Text()}, {"attributes", Named("AttributeMap")}});
  return Object({{"span_id", ListOf(Text())},
                 {"parent", ListOf(Integer()), "positions of spans; -1: none"},
                 {"parent_is", ListOf(OneOf({"none", "found", "missing", "cut"}))},
                 {"service", ListOf(Integer()), "positions in `services`"},
                 {"resource", ListOf(Integer()), "positions in `resources`"},
                 {"name", ListOf(Integer()), "positions in `names`"},
                 {"start", ListOf(Integer()), "nanoseconds from the start of the trace"},
                 {"duration", ListOf(Integer()), "nanoseconds"},
                 {"self", ListOf(Integer()), "nanoseconds that no child covers"},
                 {"kind", ListOf(Text())},
                 {"status", ListOf(Text())},
                 {"status_message", ListOf(Text())},
                 {"is_on_critical_path", ListOf(Boolean())},
                 {"attributes", ListOf(Named("AttributeMap"))},
                 {"events", ListOf(ListOf(event))},
                 {"links", ListOf(ListOf(link))}});
}

NamedSchema TraceSchema() {
  const Schema record = Object({{"time", Integer()}, {"severity", Integer()}, {"body", Text()}});
  const Schema cost =
      Object({{"type", Text()}, {"unit", Text()}, {"count", Integer()}, {"sum", Integer()}});
  return Response("Trace",
                  {{"trace_id", Text()},
                   {"start", Time()},
                   {"duration", Integer(), "nanoseconds"},
                   {"root", Integer(), "position of a span"},
                   {"spans", SpanColumns(), "one array per property, in tree order"},
                   {"names", ListOf(Text())},
                   {"services", ListOf(Text())},
                   {"resources", ListOf(Object({{"attributes", Named("AttributeMap")}}))},
                   {"critical_path",
                    ListOf(Object({{"span", Integer()}, {"from", Integer()}, {"to", Integer()}}))},
                   {"logs", ListOf(Object({{"span", Integer(), "-1: a span that is not listed"},
                                           {"count", Integer()},
                                           {"first", ListOf(record)}}))},
                   {"samples", ListOf(Object({{"span", Integer(), "-1: a span that is not listed"},
                                              {"span_id", Text()},
                                              {"types", ListOf(cost)}}))}});
}

std::vector<NamedSchema> TraceSchemas() {
  return {
      {"TraceRow", Object({{"trace_id", Text()},
                           {"root", Object({{"service", Text()},
                                            {"name", Text()},
                                            {"start", Time()},
                                            {"duration", Integer(), "nanoseconds"},
                                            {"status", Text()},
                                            {"is_orphan", Boolean(), "its parent is missing"}})},
                           {"spans", Integer()},
                           {"errors", Integer()},
                           {"services", ListOf(Text())},
                           {"longest_match", Integer(), "nanoseconds"},
                           {"matches", ListOf(Text()), "ids of some matching spans"}})},
      Response("Traces", {{"traces", ListOf(Named("TraceRow"))},
                          {"has_more", Boolean()},
                          {"next", Nullable(Time()), "`to` of the next page"}}),
      TraceSchema(),
      {"OtlpTraces", Object({Optional("resourceSpans", ListOf(Any()))}),
       "with format=otlp: ExportTraceServiceRequest of OTLP/JSON"},
      {"Link", Object({{"to", OneOf({"trace", "profile", "logs", "metric", "diff"})},
                       {"what", Text()},
                       {"quality", OneOf({"exact", "inferred"})},
                       {"count", Integer()},
                       {"is_capped", Boolean(), "there are more than `count`"},
                       {"url", Text(), "the request that returns the other end"}})},
      Response("Links", {{"links", ListOf(Named("Link"))},
                         Optional("cost",
                                  Object({{"quality", OneOf({"exact", "inferred"})},
                                          {"duration_ns", Integer()},
                                          {"on_cpu_ns", Integer()},
                                          {"off_cpu_ns", Integer()},
                                          {"unaccounted_ns", Integer()}}),
                                  "time breakdown of a span")}),
  };
}

std::vector<NamedSchema> LogSchemas() {
  return {
      {"LogRecord", Object({{"id", Text()},
                            {"time", Time()},
                            {"severity", Integer(), "1 to 24, as in OTLP; 0: none"},
                            {"severity_text", Text()},
                            {"service", Text()},
                            {"body", Any()},
                            {"attributes", Named("AttributeMap")},
                            {"trace_id", Text(), "may be empty"},
                            {"span_id", Text(), "may be empty"},
                            Optional("event_name", Text())})},
      Response("Logs", {{"records", ListOf(Named("LogRecord"))},
                        {"next", Nullable(Text()), "`cursor` of the next page"}}),
      {"OtlpLogs", Object({Optional("resourceLogs", ListOf(Any()))}),
       "with format=otlp: ExportLogsServiceRequest of OTLP/JSON"},
      {"FacetCounts", Object({{"values", ListOf(Object({{"value", Text()}, {"count", Integer()}}))},
                              {"other", Integer(), "records with a value that is not listed"}})},
      Response("LogVolume",
               {{"start", Time()},
                {"step", Integer(), "nanoseconds"},
                {"count", Integer()},
                {"lines", ListOf(Object({{"severity", OneOf({"none", "trace", "debug", "info",
                                                             "warn", "error", "fatal"})},
                                         {"values", ListOf(Integer()), "one per step"}}))},
                Optional("facets", Object({{"services", Named("FacetCounts")},
                                           {"severities", Named("FacetCounts")},
                                           {"patterns", Named("FacetCounts")}}))}),
  };
}

Schema MetricType() {
  return OneOf({"none", "gauge", "sum", "histogram", "exponential_histogram", "summary"});
}

std::vector<NamedSchema> MetricSchemas() {
  return {
      {"Metric", Object({{"name", Text()},
                         {"type", MetricType()},
                         {"unit", Text()},
                         {"description", Text()},
                         {"is_monotonic", Boolean()},
                         {"series", Integer()},
                         {"services", ListOf(Text())},
                         {"attributes", ListOf(Text()), "keys that points have"}})},
      Response("Metrics", {{"metrics", ListOf(Named("Metric"))}}),
      {"Exemplar", Object({{"time", Time()},
                           {"value", Nullable(Number()), "null: not finite"},
                           {"trace_id", Text()},
                           {"span_id", Text()}})},
      {"MetricLine", Object({{"key", MapOf(Text()), "the attributes that the lines are grouped by"},
                             {"is_other", Boolean(), "sum of the lines that are not listed"},
                             {"groups", Integer()},
                             {"series", Integer()},
                             {"interval", Integer(), "nanoseconds between points; 0: unknown"},
                             {"values", ListOf(Nullable(Number())), "one per step; null: unknown"},
                             {"exemplars", ListOf(Named("Exemplar"))}})},
      Response("MetricLines", {{"name", Text()},
                               {"type", MetricType()},
                               {"unit", Text()},
                               {"description", Text()},
                               {"is_monotonic", Boolean()},
                               {"agg", Text()},
                               {"is_rate", Boolean(), "values are per second"},
                               {"start", Time()},
                               {"step", Integer(), "nanoseconds"},
                               {"lines", ListOf(Named("MetricLine")), "largest first"}}),
  };
}

}  // namespace

std::vector<NamedSchema> SignalSchemas() {
  std::vector<NamedSchema> all;
  for (const auto& part : {TraceSchemas(), LogSchemas(), MetricSchemas()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace flarestack::server::api::schema
