// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/query_responses.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/saturating.h"
#include "base/text/human_value.h"

namespace flarestack::cli {
namespace {

// Time series as a table: for people one row per line with a small chart, for programs one row per
// point.
struct Chart {
  const Json& lines;
  std::string key;   // the member with the attributes that identify a line
  std::string rest;  // the member that marks the line with the remainder
  int64_t from = 0;  // nanoseconds since the epoch
  int64_t step = 0;  // nanoseconds
  std::string headline;
  std::function<std::string(double)> value_text;
};

using Kind = QueryColumn::Kind;

constexpr size_t kSparklineWidth = 40;

std::string NameOf(const Chart& chart, const Json& line) {
  if (IsTrue(At(line, chart.rest)))
    return "(others)";
  const std::string name = PairsText(At(line, chart.key));
  return name.empty() ? "(all)" : name;
}

int64_t TimeOf(const Chart& chart, size_t step) {
  return base::SaturatingAdd(chart.from,
                             base::SaturatingMultiply(static_cast<int64_t>(step), chart.step));
}

QueryTable ForPeople(const Chart& chart) {
  QueryTable table({{"line"}, {"smallest"}, {"largest"}, {"last"}, {"over time"}});
  for (const Json& line : chart.lines) {
    const Json& values = At(line, "values");
    bool is_known = false;
    double smallest = 0;
    double largest = 0;
    double last = 0;
    for (const Json& value : values) {
      if (!value.is_number())
        continue;
      last = NumberOf(value);
      smallest = is_known ? std::min(smallest, last) : last;
      largest = is_known ? std::max(largest, last) : last;
      is_known = true;
    }
    const auto text = [&](double value) { return is_known ? chart.value_text(value) : ""; };
    table.Add({NameOf(chart, line), text(smallest), text(largest), text(last),
               Sparkline(values, kSparklineWidth)});
  }
  const size_t steps = At(At(chart.lines, size_t{0}), "values").size();
  table.set_headline(fmt::format("{}: {} to {}, a value for each {}", chart.headline,
                                 TimeText(chart.from), TimeText(TimeOf(chart, steps)),
                                 DurationText(chart.step)));
  return table;
}

QueryTable ChartTable(const Chart& chart, TableFor reader) {
  if (reader == TableFor::kPeople)
    return ForPeople(chart);
  QueryTable table({{"time", Kind::kTime}, {"line"}, {"value", Kind::kNumber}});
  for (const Json& line : chart.lines) {
    const std::string name = NameOf(chart, line);
    const Json& values = At(line, "values");
    for (size_t i = 0; i < values.size(); ++i) {
      if (const Json& value = At(values, i); value.is_number())
        table.Add({TimeOf(chart, i), name, value});
    }
  }
  return table;
}

// "trace", "warn 3", ...: OpenTelemetry's names for the numbers 1 to 24.
std::string SeverityText(const Json& record) {
  const std::string text = TextOf(At(record, "severity_text"));
  if (!text.empty())
    return text;
  constexpr const char* kNames[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  const int64_t number = IntOf(At(record, "severity"));
  return number >= 1 && number <= 24 ? kNames[(number - 1) / 4] : "";
}

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", base::GroupDigits(count), noun, count == 1 ? "" : "s");
}

}  // namespace

QueryTable ServicesTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"service"},
                    {"instances", Kind::kCount},
                    {"series", Kind::kCount},
                    {"last seen", Kind::kTime},
                    {"versions"},
                    {"types"}});
  for (const Json& service : At(response, "services")) {
    Json versions = Json::array();
    for (const Json& version : At(service, "versions")) {
      if (!TextOf(At(version, "version")).empty())
        versions.push_back(At(version, "version"));
    }
    const std::string name_space = TextOf(At(service, "namespace"));
    table.Add({(name_space.empty() ? "" : name_space + "/") + TextOf(At(service, "service")),
               At(service, "instances"), At(service, "series"), At(service, "last_seen"),
               Joined(versions), Joined(At(service, "types"))});
  }
  return table;
}

QueryTable AttributesTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"key"}, {"of"}, {"values", Kind::kCount}, {"such as"}});
  for (const Json& key : At(response, "keys")) {
    table.Add(
        {At(key, "key"), At(key, "level"), At(key, "value_count"), Joined(At(key, "values"))});
  }
  return table;
}

QueryTable ValuesTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"value"}});
  const Json& values = At(response, "values");
  for (const Json& value : values)
    table.Add({value});
  const int64_t left = IntOf(At(response, "value_count")) - static_cast<int64_t>(values.size());
  if (left > 0)
    table.AddNote(fmt::format("... {} more (use --limit)", base::GroupDigits(left)));
  return table;
}

QueryTable TracesTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"start", Kind::kTime},
                    {"duration", Kind::kDuration},
                    {"spans", Kind::kCount},
                    {"errors", Kind::kCount},
                    {"trace"},
                    {"service"},
                    {"name"}});
  for (const Json& trace : At(response, "traces")) {
    const Json& root = At(trace, "root");
    table.Add({At(root, "start"), At(root, "duration"), At(trace, "spans"), At(trace, "errors"),
               At(trace, "trace_id"), At(root, "service"), At(root, "name")});
  }
  return table;
}

QueryTable TraceTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"start", Kind::kDuration},
                    {"duration", Kind::kDuration},
                    {"self", Kind::kDuration},
                    {"critical", Kind::kMark},
                    {"status"},
                    {"span"},
                    {"parent", Kind::kText, /*is_for_programs_only=*/true},
                    {"service"},
                    {"name"}});
  const Json& spans = At(response, "spans");
  const Json& ids = At(spans, "span_id");
  std::vector<size_t> depths;
  int64_t errors = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    // Parents come before their children.
    const int64_t parent = IntOf(At(At(spans, "parent"), i));
    const bool has_parent = parent >= 0 && static_cast<size_t>(parent) < i;
    depths.push_back(has_parent ? depths[static_cast<size_t>(parent)] + 1 : 0);
    const std::string status = TextOf(At(At(spans, "status"), i));
    errors += status == "error" ? 1 : 0;
    const auto named = [&](const char* column, const char* names) {
      return At(At(response, names), static_cast<size_t>(IntOf(At(At(spans, column), i))));
    };
    table.Add({At(At(spans, "start"), i), At(At(spans, "duration"), i), At(At(spans, "self"), i),
               At(At(spans, "is_on_critical_path"), i), status == "unset" ? "" : status, At(ids, i),
               has_parent ? At(ids, static_cast<size_t>(parent)) : Json(""),
               named("service", "services"), named("name", "names")},
              depths[i]);
  }
  table.set_headline(fmt::format(
      "trace {}: {}, {}, {}, {}", TextOf(At(response, "trace_id")),
      TimeText(IntOf(At(response, "start"))), DurationText(IntOf(At(response, "duration"))),
      Counted(static_cast<int64_t>(ids.size()), "span"), Counted(errors, "error")));
  int64_t log_count = 0;
  for (const Json& logs : At(response, "logs"))
    log_count += IntOf(At(logs, "count"));
  if (log_count > 0) {
    table.AddNote(fmt::format("{}: flarestack query logs --trace {}",
                              Counted(log_count, "log record"), TextOf(At(response, "trace_id"))));
  }
  return table;
}

QueryTable LogsTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"time", Kind::kTime},
                    {"severity"},
                    {"service"},
                    {"trace", Kind::kText, /*is_for_programs_only=*/true},
                    {"span", Kind::kText, /*is_for_programs_only=*/true},
                    {"attributes", Kind::kText, /*is_for_programs_only=*/true},
                    {"body"}});
  for (const Json& record : At(response, "records")) {
    table.Add({At(record, "time"), SeverityText(record), At(record, "service"),
               At(record, "trace_id"), At(record, "span_id"), PairsText(At(record, "attributes")),
               At(record, "body")});
  }
  if (const std::string next = TextOf(At(response, "next")); !next.empty())
    table.AddNote(fmt::format("... more (use --limit, or --cursor {})", next));
  return table;
}

QueryTable MetricsTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"name"},
                    {"type"},
                    {"unit"},
                    {"series", Kind::kCount},
                    {"services"},
                    {"attributes"},
                    {"description"}});
  for (const Json& metric : At(response, "metrics")) {
    table.Add({At(metric, "name"), At(metric, "type"), At(metric, "unit"), At(metric, "series"),
               Joined(At(metric, "services")), Joined(At(metric, "attributes")),
               At(metric, "description")});
  }
  return table;
}

QueryTable LinksTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"to"}, {"quality"}, {"count", Kind::kCount}, {"what"}, {"url"}});
  for (const Json& link : At(response, "links")) {
    table.Add({At(link, "to"), At(link, "quality"), At(link, "count"), At(link, "what"),
               At(link, "url")});
  }
  if (const Json& cost = At(response, "cost"); cost.is_object()) {
    const auto part = [&](const char* name) { return DurationText(IntOf(At(cost, name))); };
    table.set_headline(fmt::format("{}: {} on CPU, {} off CPU, {} unaccounted ({})",
                                   part("duration_ns"), part("on_cpu_ns"), part("off_cpu_ns"),
                                   part("unaccounted_ns"), TextOf(At(cost, "quality"))));
  }
  return table;
}

QueryTable HealthTable(const Json& response, TableFor /*reader*/) {
  QueryTable table({{"signal"},
                    {"requests", Kind::kCount},
                    {"failed", Kind::kCount},
                    {"items", Kind::kCount},
                    {"rejected", Kind::kCount},
                    {"bytes", Kind::kCount},
                    {"last seen", Kind::kTime}});
  for (const char* signal : {"profiles", "traces", "logs", "metrics"}) {
    const Json& totals = At(At(response, "ingest"), signal);
    table.Add({signal, At(totals, "requests"), At(totals, "failed"), At(totals, "items"),
               At(totals, "rejected"), At(totals, "bytes"), At(totals, "last_seen")});
  }
  const Json& store = At(response, "store");
  table.set_headline(fmt::format(
      "{}: store {}, {} on disk, {} of memory", TextOf(At(response, "status")),
      TextOf(At(store, "state")), base::HumanValue(IntOf(At(store, "disk_bytes")), "bytes"),
      base::HumanValue(IntOf(At(At(response, "memory"), "resident_bytes")), "bytes")));
  for (const Json& problem : At(response, "problems")) {
    table.AddNote(fmt::format("{}: {}; {}", TextOf(At(problem, "severity")),
                              TextOf(At(problem, "message")), TextOf(At(problem, "advice"))));
  }
  return table;
}

QueryTable SeriesTable(const Json& response, TableFor reader) {
  const std::string unit = TextOf(At(response, "unit"));
  return ChartTable(
      {.lines = At(response, "lines"),
       .key = "labels",
       .rest = "rest",
       .from = IntOf(At(response, "from")),
       .step = IntOf(At(response, "step_ns")),
       .headline = TextOf(At(response, "type")),
       .value_text = [&](double value) { return base::HumanValue(IntOf(value), unit); }},
      reader);
}

QueryTable MetricTable(const Json& response, TableFor reader) {
  const std::string unit =
      TextOf(At(response, "unit")) + (IsTrue(At(response, "is_rate")) ? "/s" : "");
  return ChartTable(
      {.lines = At(response, "lines"),
       .key = "key",
       .rest = "is_other",
       .from = IntOf(At(response, "start")),
       .step = IntOf(At(response, "step")),
       .headline = fmt::format("{} ({}, {})", TextOf(At(response, "name")),
                               TextOf(At(response, "type")), TextOf(At(response, "agg"))),
       .value_text = [&](double value) { return NumberText(value, unit); }},
      reader);
}

}  // namespace flarestack::cli
