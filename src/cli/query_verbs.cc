// SPDX-License-Identifier: Apache-2.0
#include "cli/query_verbs.h"

namespace flarestack::cli {
namespace {

constexpr QueryFlag kTraceFlag = {"--trace", "trace", "ID", "32 hexadecimal digits"};
constexpr QueryFlag kSpanFlag = {"--span", "span", "ID", "of the trace: 16 hexadecimal digits"};
constexpr QueryFlag kStepFlag = {"--step", "step", "DURATION",
                                 "time between two values, such as 1m"};
constexpr QueryFlag kByFlag = {"--by", "by", "KEY", "a line for each value of this attribute",
                               /*may_repeat=*/true};

constexpr QueryFlag kFilterFlag = {"--filter", "f", "STEP", "as in reports, such as only:parse",
                                   /*may_repeat=*/true};

constexpr QueryFlag kProfileFlags[] = {
    kFilterFlag,
    {"--trace", "trace", "ID", "only samples of this trace"},
    {"--span", "span", "ID", "only samples of this span of the trace"},
    {"--detail", "detail", "DETAIL",
     "merged: one value a stack; sums: one a stack and series; samples: every event (default for "
     "otlp)"},
};

constexpr QueryFlag kSeriesFlags[] = {
    kByFlag,
    kStepFlag,
    kFilterFlag,
};

constexpr QueryFlag kTracesFlags[] = {
    {"--service", "service", "NAME", "service.name of the span"},
    {"--name", "name", "NAME", "of the span: the whole name, or /REGEX/"},
    {"--min-duration", "min_duration", "DURATION", "the span took at least so long: 20ms"},
    {"--max-duration", "max_duration", "DURATION", "the span took at most so long"},
    {"--status", "status", "STATUS", "ok, error or unset"},
    {"--attr", "attr", "KEY=VALUE", "an attribute of the span", /*may_repeat=*/true},
    {"--sort", "sort", "ORDER", "start (the newest first) or duration"},
};

constexpr QueryFlag kLogsFlags[] = {
    {"--text", "text", "TEXT", "anywhere in the body, or /REGEX/"},
    {"--severity", "severity", "LEVEL", "this or worse: trace, debug, info, warn, error, fatal"},
    kTraceFlag,
    kSpanFlag,
    {"--order", "order", "ORDER", "desc (the newest first) or asc"},
    {"--cursor", "cursor", "TEXT", "the page after the one that ended with it"},
};

constexpr QueryFlag kMetricsFlags[] = {
    kByFlag,
    kStepFlag,
    {"--agg", "agg", "HOW", "sum, avg, min, max; of histograms also count, p50, p99.9"},
    {"--rate", "rate", "", "what a counter rose by per second"},
};

constexpr QueryFlag kAttrsFlags[] = {
    {"--contains", "contains", "TEXT", "values of KEY that have this text"},
};

constexpr QueryFlag kLinksFlags[] = {
    kTraceFlag,
    kSpanFlag,
    {"--fn", "fn", "FUNCTION", "of a function"},
    {"--metric", "metric", "NAME", "of the points of a metric"},
};

constexpr QueryVerb kVerbs[] = {
    {.name = "services",
     .summary = "which services there are, with versions and kinds of profiles",
     .example = "flarestack query services",
     .plain = {.path = "/services", .table = ServicesTable},
     .page = "/"},
    {.name = "attrs",
     .summary = "which attributes profiles have, or the values of one",
     .example = "flarestack query attrs thread.name --type cpu",
     .plain = {.path = "/attrs", .table = AttributesTable},
     .with_argument = {.path = "/attr-values", .argument_parameter = "key", .table = ValuesTable},
     .argument_name = "KEY",
     .argument_help = "an attribute, for its values",
     .flags = kAttrsFlags},
    {.name = "profile",
     .summary = "write the profiles of a range to a file, in any format",
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
     .summary = "traces of which a span holds all conditions",
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
     .summary = "log records, the newest first",
     .example = "flarestack query logs --severity error --text disk --from now-1d",
     .plain = {.path = "/logs", .table = LogsTable},
     .flags = kLogsFlags,
     .page = "/logs"},
    {.name = "metrics",
     .summary = "which metrics there are, or one of them over time",
     .example = "flarestack query metrics http.server.duration --agg p99 --by http.route",
     .plain = {.path = "/metrics", .table = MetricsTable},
     .with_argument = {.path = "/metrics/query",
                       .argument_parameter = "name",
                       .limit_parameter = "top",
                       .table = MetricTable},
     .argument_name = "NAME",
     .argument_help = "a metric, for its values",
     .flags = kMetricsFlags,
     .page = "/charts"},
    {.name = "links",
     .summary = "from a span, a function or a time to what other signals say of it",
     .example = "flarestack query links --trace 5b8efff798038103d269b633813fc60c",
     .plain = {.path = "/links", .table = LinksTable},
     .flags = kLinksFlags},
    {.name = "health",
     .summary = "whether all is well with the server: what came, and what is wrong",
     .example = "flarestack query health",
     .plain = {.path = "/health", .table = HealthTable},
     .page = "/health"},
};

}  // namespace

std::span<const QueryVerb> QueryVerbs() { return kVerbs; }

}  // namespace flarestack::cli
