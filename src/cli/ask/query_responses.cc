// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/query_responses.h"

#include <fmt/format.h>

#include "base/text/human_value.h"
#include "cli/ask/query_charts.h"

namespace flarestack::cli {
namespace {

using Kind = QueryColumn::Kind;

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

QueryTable ServicesTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"service"},
                    {"instances", Kind::kCount},
                    {"series", Kind::kCount},
                    {"last seen", Kind::kTime},
                    {"versions"},
                    {"types"}});
  for (const Json& service : At(answer, "services")) {
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

QueryTable AttributesTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"key"}, {"of"}, {"values", Kind::kCount}, {"such as"}});
  for (const Json& key : At(answer, "keys")) {
    table.Add(
        {At(key, "key"), At(key, "level"), At(key, "value_count"), Joined(At(key, "values"))});
  }
  return table;
}

QueryTable ValuesTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"value"}});
  const Json& values = At(answer, "values");
  for (const Json& value : values)
    table.Add({value});
  const int64_t left = IntOf(At(answer, "value_count")) - static_cast<int64_t>(values.size());
  if (left > 0)
    table.AddNote(fmt::format("... {} more (use --limit)", base::GroupDigits(left)));
  return table;
}

QueryTable TracesTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"start", Kind::kTime},
                    {"duration", Kind::kDuration},
                    {"spans", Kind::kCount},
                    {"errors", Kind::kCount},
                    {"trace"},
                    {"service"},
                    {"name"}});
  for (const Json& trace : At(answer, "traces")) {
    const Json& root = At(trace, "root");
    table.Add({At(root, "start"), At(root, "duration"), At(trace, "spans"), At(trace, "errors"),
               At(trace, "trace_id"), At(root, "service"), At(root, "name")});
  }
  return table;
}

QueryTable TraceTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"start", Kind::kDuration},
                    {"duration", Kind::kDuration},
                    {"self", Kind::kDuration},
                    {"critical", Kind::kMark},
                    {"status"},
                    {"span"},
                    {"parent", Kind::kText, /*is_for_programs_alone=*/true},
                    {"service"},
                    {"name"}});
  const Json& spans = At(answer, "spans");
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
      return At(At(answer, names), static_cast<size_t>(IntOf(At(At(spans, column), i))));
    };
    table.Add({At(At(spans, "start"), i), At(At(spans, "duration"), i), At(At(spans, "self"), i),
               At(At(spans, "is_on_critical_path"), i), status == "unset" ? "" : status, At(ids, i),
               has_parent ? At(ids, static_cast<size_t>(parent)) : Json(""),
               named("service", "services"), named("name", "names")},
              depths[i]);
  }
  table.set_headline(
      fmt::format("trace {}: {}, {}, {}, {}", TextOf(At(answer, "trace_id")),
                  TimeText(IntOf(At(answer, "start"))), DurationText(IntOf(At(answer, "duration"))),
                  Counted(static_cast<int64_t>(ids.size()), "span"), Counted(errors, "error")));
  int64_t log_count = 0;
  for (const Json& logs : At(answer, "logs"))
    log_count += IntOf(At(logs, "count"));
  if (log_count > 0) {
    table.AddNote(fmt::format("{}: flarestack query logs --trace {}",
                              Counted(log_count, "log record"), TextOf(At(answer, "trace_id"))));
  }
  return table;
}

QueryTable LogsTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"time", Kind::kTime},
                    {"severity"},
                    {"service"},
                    {"trace", Kind::kText, /*is_for_programs_alone=*/true},
                    {"span", Kind::kText, /*is_for_programs_alone=*/true},
                    {"attributes", Kind::kText, /*is_for_programs_alone=*/true},
                    {"body"}});
  for (const Json& record : At(answer, "records")) {
    table.Add({At(record, "time"), SeverityText(record), At(record, "service"),
               At(record, "trace_id"), At(record, "span_id"), PairsText(At(record, "attributes")),
               At(record, "body")});
  }
  if (const std::string next = TextOf(At(answer, "next")); !next.empty())
    table.AddNote(fmt::format("... more (use --limit, or --cursor {})", next));
  return table;
}

QueryTable MetricsTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"name"},
                    {"type"},
                    {"unit"},
                    {"series", Kind::kCount},
                    {"services"},
                    {"attributes"},
                    {"description"}});
  for (const Json& metric : At(answer, "metrics")) {
    table.Add({At(metric, "name"), At(metric, "type"), At(metric, "unit"), At(metric, "series"),
               Joined(At(metric, "services")), Joined(At(metric, "attributes")),
               At(metric, "description")});
  }
  return table;
}

QueryTable LinksTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"to"}, {"quality"}, {"count", Kind::kCount}, {"what"}, {"url"}});
  for (const Json& link : At(answer, "links")) {
    table.Add({At(link, "to"), At(link, "quality"), At(link, "count"), At(link, "what"),
               At(link, "url")});
  }
  if (const Json& cost = At(answer, "cost"); cost.is_object()) {
    const auto part = [&](const char* name) { return DurationText(IntOf(At(cost, name))); };
    table.set_headline(fmt::format("{}: {} on CPU, {} off CPU, {} unaccounted ({})",
                                   part("duration_ns"), part("on_cpu_ns"), part("off_cpu_ns"),
                                   part("unaccounted_ns"), TextOf(At(cost, "quality"))));
  }
  return table;
}

QueryTable HealthTable(const Json& answer, TableFor /*reader*/) {
  QueryTable table({{"signal"},
                    {"requests", Kind::kCount},
                    {"failed", Kind::kCount},
                    {"items", Kind::kCount},
                    {"rejected", Kind::kCount},
                    {"bytes", Kind::kCount},
                    {"last seen", Kind::kTime}});
  for (const char* signal : {"profiles", "traces", "logs", "metrics"}) {
    const Json& totals = At(At(answer, "ingest"), signal);
    table.Add({signal, At(totals, "requests"), At(totals, "failed"), At(totals, "items"),
               At(totals, "rejected"), At(totals, "bytes"), At(totals, "last_seen")});
  }
  const Json& store = At(answer, "store");
  table.set_headline(fmt::format(
      "{}: store {}, {} on disk, {} of memory", TextOf(At(answer, "status")),
      TextOf(At(store, "state")), base::HumanValue(IntOf(At(store, "disk_bytes")), "bytes"),
      base::HumanValue(IntOf(At(At(answer, "memory"), "resident_bytes")), "bytes")));
  for (const Json& problem : At(answer, "problems")) {
    table.AddNote(fmt::format("{}: {}; {}", TextOf(At(problem, "severity")),
                              TextOf(At(problem, "message")), TextOf(At(problem, "advice"))));
  }
  return table;
}

QueryTable SeriesTable(const Json& answer, TableFor reader) {
  const std::string unit = TextOf(At(answer, "unit"));
  return ChartTable(
      {.lines = At(answer, "lines"),
       .key = "labels",
       .rest = "rest",
       .from = IntOf(At(answer, "from")),
       .step = IntOf(At(answer, "step_ns")),
       .headline = TextOf(At(answer, "type")),
       .value_text = [&](double value) { return base::HumanValue(IntOf(value), unit); }},
      reader);
}

QueryTable MetricTable(const Json& answer, TableFor reader) {
  const std::string unit = TextOf(At(answer, "unit")) + (IsTrue(At(answer, "is_rate")) ? "/s" : "");
  return ChartTable({.lines = At(answer, "lines"),
                     .key = "key",
                     .rest = "is_other",
                     .from = IntOf(At(answer, "start")),
                     .step = IntOf(At(answer, "step")),
                     .headline = fmt::format("{} ({}, {})", TextOf(At(answer, "name")),
                                             TextOf(At(answer, "type")), TextOf(At(answer, "agg"))),
                     .value_text = [&](double value) { return NumberText(value, unit); }},
                    reader);
}

}  // namespace flarestack::cli
