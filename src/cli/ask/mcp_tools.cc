// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/status.h"
#include "cli/ask/mcp_tables.h"
#include "cli/ask/query_verbs.h"
#include "cli/input/api_client.h"
#include "net/http/http_target.h"

namespace flarestack::cli {
namespace {

constexpr size_t kLineColumnsMax = 300;

constexpr QueryFlag kQuery = {"query", "q", "SELECTOR",
                              "selector over attributes, such as {service.name=\"cart\"}"};
constexpr QueryFlag kType = {"type", "type", "TYPE", "profile type: cpu, offcpu, alloc_space"};
constexpr QueryFlag kFrom = {"from", "from", "TIME", "start time: now-1h (default) or RFC 3339"};
constexpr QueryFlag kTo = {"to", "to", "TIME", "end time"};
constexpr QueryFlag kLimit = {"limit", "limit", "N", "maximum rows (default 20)"};
constexpr QueryFlag kFilter = {
    "filter", "f", "STEP",
    "filters, such as only:parse, drop:^runtime, hide:lock, type:cpython "
    "or internals (show interpreter frames)",
    /*may_repeat=*/true};

constexpr QueryFlag kTopFlags[] = {
    kType, kFilter, {"sort", "sort", "ORDER", "self (default) or total"}};

constexpr QueryFlag kFlameFlags[] = {
    kType,
    kFilter,
    {"root", "root", "HASH", "zoom into this call path"},
    {"nodes", "nodes", "N", "maximum calls (default 40)"},
    {"depth", "depth", "N", "maximum depth"},
    {"pivot", "pivot", "FUNCTION", "only the callees or callers of this function"},
    {"side", "side", "SIDE", "with pivot: callees (default) or callers"},
};

constexpr QueryFlag kDiffFlags[] = {
    kType,
    kFilter,
    {"before_query", "b.q", "SELECTOR", "selector of the baseline (default: query)"},
    {"before_from", "b.from", "TIME", "of the baseline"},
    {"before_to", "b.to", "TIME", "of the baseline"},
    {"norm", "norm", "NORM", "share (default), rate or none"},
};

constexpr QueryFlag kRegressionsFlags[] = {
    kType,
    {"version", "version", "VERSION", "version to inspect (default: latest)"},
    {"before_version", "b.version", "VERSION", "version to compare with (default: previous)"},
};

// A tool is a verb with another name, flags that `query` does not have, and a limit that keeps
// responses short.
struct Row {
  std::string_view name;
  std::string_view description;
  QueryForm plain;
  QueryForm with_argument = {};
  std::string_view argument = {};  // its name, if there is one
  std::string_view argument_help = {};
  std::vector<QueryFlag> flags;
  std::string_view default_parameter = {};  // set to `default_value` to keep the response short
  std::string_view default_value = {};
};

Row FromVerb(std::string_view name, std::string_view description, std::vector<QueryFlag> more) {
  const auto verb = std::ranges::find(QueryVerbs(), name, &QueryVerb::name);
  FLARE_CHECK(verb != QueryVerbs().end(), name);
  Row row = {.name = name,
             .description = description,
             .plain = verb->plain,
             .with_argument = verb->with_argument,
             .argument = verb->argument_name == "ID" ? "trace_id" : verb->argument_name,
             .argument_help = verb->argument_help,
             .flags = {verb->flags.begin(), verb->flags.end()}};
  row.flags.insert(row.flags.end(), more.begin(), more.end());
  return row;
}

Row FromPath(std::string_view name, std::string_view description, QueryForm form,
             std::span<const QueryFlag> flags) {
  Row row = {.name = name,
             .description = description,
             .plain = form,
             .flags = {flags.begin(), flags.end()}};
  row.flags.insert(row.flags.end(), {kQuery, kFrom, kTo});
  return row;
}

Row Limited(Row row, std::string_view parameter = "limit", std::string_view value = "20") {
  if (parameter == "limit")
    row.flags.push_back(kLimit);
  row.default_parameter = parameter;
  row.default_value = value;
  return row;
}

std::vector<Row> Rows() {
  return {
      FromVerb("services", "Services with their versions and profile types.", {kQuery}),
      Limited(FromPath("top", "Functions by self or total cost.",
                       {.path = "/top", .table = TopTable}, kTopFlags)),
      Limited(FromPath("flame_subtree",
                       "The call tree with the cost of each call and the hash of its path; root "
                       "shows one path in more detail.",
                       {.path = "/flame", .table = FlameTable}, kFlameFlags),
              "nodes", "40"),
      Limited(FromPath("diff",
                       "Compares two scopes function by function. The plain arguments select the "
                       "current side, before_* the baseline where it differs.",
                       {.path = "/diff", .table = DiffTable}, kDiffFlags)),
      Limited(FromPath("regressions",
                       "Functions changed significantly by the latest version of a service.",
                       {.path = "/regressions", .table = RegressionsTable}, kRegressionsFlags)),
      FromVerb("links",
               "Related data for a span, function or time range from other signals, and the time "
               "breakdown of a span.",
               {kQuery, kType, kFrom, kTo}),
      Limited(FromVerb("traces", "Traces with a span that matches all conditions.",
                       {kQuery, kFrom, kTo})),
      FromVerb("trace", "The spans of a trace as a tree; * marks the critical path.", {}),
      Limited(FromVerb("logs", "Log records, newest first.", {kQuery, kFrom, kTo})),
      FromVerb("metrics", "Lists metrics; with a name, its values over time.",
               {kQuery, kFrom, kTo}),
  };
}

// "--min-duration" becomes min_duration.
std::string ArgumentName(const QueryFlag& flag) {
  std::string name(flag.flag.substr(std::min(flag.flag.find_first_not_of('-'), flag.flag.size())));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

Json SchemaOf(const Row& row) {
  Json properties = Json::object();
  Json required = Json::array();
  if (!row.argument.empty()) {
    const std::string name = LowerCase(row.argument);
    properties[name] = {{"type", "string"}, {"description", row.argument_help}};
    if (row.plain.path.empty())
      required.push_back(name);
  }
  for (const QueryFlag& flag : row.flags) {
    Json& property = properties[ArgumentName(flag)];
    property["type"] = flag.type_name == "N"    ? "integer"
                       : flag.type_name.empty() ? "boolean"
                                                : "string";
    if (flag.may_repeat)
      property = {{"type", "array"}, {"items", {{"type", "string"}}}};
    property["description"] = flag.help;
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

McpResult Failed(std::string_view why, std::string_view next = {}) {
  McpResult result = {.text = std::string(why), .is_error = true};
  if (!next.empty())
    result.text += fmt::format("\nhint: {}", next);
  return result;
}

McpResult RunQuery(const ApiClient& client, const QueryForm& form, const ApiRequest& request) {
  const auto response = GetJson(client, request);
  if (!response.ok())
    return Failed(base::Message(response.status()), HintOf(response.status()));
  const Emptiness why = EmptinessOf(*response, "");
  const QueryTable table = form.table(*response, TableFor::kPeople);
  if (!why.reason.empty())
    return {.text =
                "nothing found: " + why.reason + (why.next.empty() ? "" : "\nhint: " + why.next)};
  if (table.empty())
    return {.text = "nothing found"};
  McpResult result = {
      .text = CutLines(table.Text(kLineColumnsMax, QueryTable::Style::kPlain), kMcpTextBytesMax)};
  if (const std::string missing = MissingOf(*response); !missing.empty())
    result.text += fmt::format("partial result: {}\n", missing);
  return result;
}

McpResult CallTool(const ApiClient& client, const Row& row, const McpArguments& arguments) {
  std::set<std::string> known;
  std::string argument;
  if (!row.argument.empty()) {
    const std::string name = LowerCase(row.argument);
    known.insert(name);
    if (const auto given = arguments.find(name); given != arguments.end() && !given->second.empty())
      argument = given->second.front();
  }
  const QueryForm& form = argument.empty() ? row.plain : row.with_argument;
  if (form.path.empty())
    return Failed(fmt::format("{} is missing", LowerCase(row.argument)));
  ApiRequest request = {.path = std::string(form.path)};
  if (!argument.empty() && form.argument_parameter.empty())
    request.path += net::PercentEncode(argument);
  else
    request.Add(std::string(form.argument_parameter), argument);
  bool has_default = row.default_parameter.empty();
  for (const QueryFlag& flag : row.flags) {
    const std::string name = ArgumentName(flag);
    known.insert(name);
    const auto given = arguments.find(name);
    if (given == arguments.end())
      continue;
    has_default |= flag.parameter == row.default_parameter;
    for (const std::string& value : given->second) {
      const bool is_switch = flag.type_name.empty();
      request.Add(std::string(flag.parameter), is_switch ? (value == "true" ? "1" : "") : value);
    }
  }
  for (const auto& [name, values] : arguments) {
    if (!known.contains(name))
      return Failed(fmt::format("unknown argument \"{}\"", name));
  }
  if (!has_default)
    request.Add(std::string(row.default_parameter), std::string(row.default_value));
  return RunQuery(client, form, request);
}

}  // namespace

std::vector<McpTool> MakeMcpTools(const ApiClient& client) {
  std::vector<McpTool> tools;
  for (Row& row : Rows()) {
    McpTool tool = {.name = std::string(row.name),
                    .description = std::string(row.description),
                    .input_schema = SchemaOf(row),
                    .call = nullptr};
    tool.call = [&client, row](const McpArguments& arguments) {
      return CallTool(client, row, arguments);
    };
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::string CutLines(std::string text, size_t bytes_max) {
  if (text.size() <= bytes_max)
    return text;
  const size_t last = text.rfind('\n', bytes_max - 1);
  const size_t end = last == std::string::npos ? 0 : last + 1;
  const auto left = std::count(text.begin() + static_cast<ptrdiff_t>(end), text.end(), '\n');
  text.resize(end);
  return text + fmt::format("... {} more lines\n", left);
}

}  // namespace flarestack::cli
