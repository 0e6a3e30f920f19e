// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/query_verbs.h"

namespace flarestack::cli {
namespace {

constexpr QueryFlag kTraceFlag = {"--trace", "trace", "ID", "32 hexadecimal digits"};
constexpr QueryFlag kSpanFlag = {"--span", "span", "ID",
                                 "span of the trace: 16 hexadecimal digits"};
constexpr QueryFlag kStepFlag = {"--step", "step", "DURATION", "step between values, such as 1m"};
constexpr QueryFlag kByFlag = {"--by", "by", "KEY", "group by this attribute, one line per value",
                               /*may_repeat=*/true};

constexpr QueryFlag kFilterFlag = {"--filter", "f", "STEP",
                                   "filter as in reports, such as only:parse",
                                   /*may_repeat=*/true};

constexpr QueryFlag kProfileFlags[] = {
    kFilterFlag,
    {"--trace", "trace", "ID", "only samples of this trace"},
    {"--span", "span", "ID", "only samples of this span of the trace"},
    {"--detail", "detail", "DETAIL",
     "merged: one value per stack; sums: one per stack and series; samples: every event (default "
     "for otlp)"},
};

constexpr QueryFlag kSeriesFlags[] = {
    kByFlag,
    kStepFlag,
    kFilterFlag,
};

constexpr QueryFlag kTracesFlags[] = {
    {"--service", "service", "NAME", "service.name of the span"},
    {"--name", "name", "NAME", "span name: exact, or /REGEX/"},
    {"--min-duration", "min_duration", "DURATION", "minimum span duration, such as 20ms"},
    {"--max-duration", "max_duration", "DURATION", "maximum span duration"},
    {"--status", "status", "STATUS", "span status: ok, error or unset"},
    {"--attr", "attr", "KEY=VALUE", "span attribute", /*may_repeat=*/true},
    {"--sort", "sort", "ORDER", "start (newest first) or duration"},
};

constexpr QueryFlag kLogsFlags[] = {
    {"--text", "text", "TEXT", "text in the body, or /REGEX/"},
    {"--severity", "severity", "LEVEL", "minimum severity: trace, debug, info, warn, error, fatal"},
    kTraceFlag,
    kSpanFlag,
    {"--order", "order", "ORDER", "desc (newest first) or asc"},
    {"--cursor", "cursor", "TEXT", "cursor of the next page, from the previous result"},
};

constexpr QueryFlag kMetricsFlags[] = {
    kByFlag,
    kStepFlag,
    {"--agg", "agg", "HOW", "sum, avg, min, max; for histograms also count, p50, p99.9"},
    {"--rate", "rate", "", "per-second rate of a counter"},
};

constexpr QueryFlag kAttrsFlags[] = {
    {"--contains", "contains", "TEXT", "values of KEY that contain this text"},
};

constexpr QueryFlag kLinksFlags[] = {
    kTraceFlag,
    kSpanFlag,
    {"--fn", "fn", "FUNCTION", "function name"},
    {"--metric", "metric", "NAME", "metric name"},
};

constexpr QueryVerb kVerbs[] = {
    {.name = "services",
     .summary = "list services with versions and profile types",
     .example = "flarestack query services",
     .plain = {.path = "/services", .table = ServicesTable},
     .page = "/"},
    {.name = "attrs",
     .summary = "list profile attributes, or the values of one",
     .example = "flarestack query attrs thread.name --type cpu",
     .plain = {.path = "/attrs", .table = AttributesTable},
     .with_argument = {.path = "/attr-values", .argument_parameter = "key", .table = ValuesTable},
     .argument_name = "KEY",
     .argument_help = "attribute whose values to list",
     .flags = kAttrsFlags},
    {.name = "profile",
     .summary = "export the profiles of a time range to a file, in any format",
     .example = "flarestack query profile -q '{service.name=\"cart\"}' --type cpu -o cart.pb.gz",
     .plain = {.path = "/export"},
     .flags = kProfileFlags,
     .page = "/explore"},
    {.name = "series",
     .summary = "cost over time",
     .example = "flarestack query series --by service.version --step 1m",
     .plain = {.path = "/series", .limit_parameter = "topk", .table = SeriesTable},
     .flags = kSeriesFlags,
     .page = "/explore"},
    {.name = "traces",
     .summary = "traces with a span that matches all conditions",
     .example = "flarestack query traces --service cart --min-duration 20ms --status error",
     .plain = {.path = "/traces", .table = TracesTable},
     .flags = kTracesFlags,
     .page = "/traces"},
    {.name = "trace",
     .summary = "the spans of one trace, with its critical path",
     .example = "flarestack query trace 5b8efff798038103d269b633813fc60c",
     .plain = {},
     .with_argument = {.path = "/trace/", .table = TraceTable},
     .argument_name = "ID",
     .argument_help = "32 hexadecimal digits",
     .page = "/trace/"},
    {.name = "logs",
     .summary = "log records, newest first",
     .example = "flarestack query logs --severity error --text disk --from now-1d",
     .plain = {.path = "/logs", .table = LogsTable},
     .flags = kLogsFlags,
     .page = "/logs"},
    {.name = "metrics",
     .summary = "list metrics, or the values of one over time",
     .example = "flarestack query metrics http.server.duration --agg p99 --by http.route",
     .plain = {.path = "/metrics", .table = MetricsTable},
     .with_argument = {.path = "/metrics/query",
                       .argument_parameter = "name",
                       .limit_parameter = "top",
                       .table = MetricTable},
     .argument_name = "NAME",
     .argument_help = "metric whose values to show",
     .flags = kMetricsFlags,
     .page = "/charts"},
    {.name = "links",
     .summary = "related data in other signals for a span, function or time range",
     .example = "flarestack query links --trace 5b8efff798038103d269b633813fc60c",
     .plain = {.path = "/links", .table = LinksTable},
     .flags = kLinksFlags},
    {.name = "health",
     .summary = "server health: data received, and problems",
     .example = "flarestack query health",
     .plain = {.path = "/health", .table = HealthTable},
     .page = "/health"},
};

}  // namespace

std::span<const QueryVerb> QueryVerbs() { return kVerbs; }

}  // namespace flarestack::cli
