// SPDX-License-Identifier: Apache-2.0
#include "cli/check_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using check::Finding;
using check::RuleFindings;
using check::Severity;
// Members in the order in which they are written.
using Json = nlohmann::ordered_json;

std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "2 errors, 1 warning"
std::string Counts(const check::Report& report) {
  std::string text;
  const auto add = [&](uint64_t count, std::string_view noun) {
    if (count > 0)
      text += (text.empty() ? "" : ", ") + Plural(count, noun);
  };
  add(report.error_count, "error");
  add(report.warning_count, "warning");
  if (report.info_count > 0)
    text += fmt::format("{}{} info", text.empty() ? "" : ", ", report.info_count);
  return text.empty() ? "clean" : text;
}

// "otlp, gzip, layout 1.10 or later, 3 messages"
std::string Description(const check::FileReport& found) {
  std::string text = found.format;
  if (!found.compression.empty())
    text += ", " + found.compression;
  if (!found.layout.empty())
    text += ", layout " + found.layout;
  if (found.message_count > 1)
    text += ", " + Plural(found.message_count, "message");
  return text;
}

uint64_t KeptCount(const check::Report& report) {
  uint64_t count = 0;
  for (const RuleFindings& rule : report.rules)
    count += rule.kept.size();
  return count;
}

// The message as a whole has no path.
std::string_view PathOf(const Finding& finding) {
  return finding.path.empty() ? std::string_view("the message") : std::string_view(finding.path);
}

std::string Coloured(Severity severity, std::string_view text, bool has_colours) {
  if (!has_colours)
    return std::string(text);
  constexpr std::string_view kColours[] = {"\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"};
  return fmt::format("{}{}\x1b[0m", kColours[static_cast<size_t>(severity)], text);
}

std::string FormatText(std::span<const CheckedFile> files, bool has_colours) {
  std::string out;
  for (const CheckedFile& file : files) {
    if (!file.status.ok())
      continue;
    const check::Report& report = file.found.report;
    for (const RuleFindings& rule : report.rules) {
      const check::RuleInfo& info = check::Info(rule.rule);
      out += fmt::format("{} {} ({}): {}\n",
                         Coloured(rule.severity, SeverityName(rule.severity), has_colours), info.id,
                         rule.count, info.summary);
      for (const Finding& finding : rule.kept) {
        // A rule whose findings differ in severity says so where it is not the one in the headline.
        out += fmt::format("  {}: {}{}\n", PathOf(finding),
                           finding.severity == rule.severity
                               ? std::string()
                               : fmt::format("({}) ", SeverityName(finding.severity)),
                           finding.message);
      }
      if (rule.count > rule.kept.size())
        out += fmt::format("  ... {} more; -n 0 shows all\n", rule.count - rule.kept.size());
    }
    out += fmt::format("{}: {} ({})\n", file.name, Counts(report), Description(file.found));
  }
  return out;
}

Json ToJson(const Finding& finding, check::Rule rule) {
  return {{"rule", check::Info(rule).id},
          {"severity", SeverityName(finding.severity)},
          {"path", finding.path},
          {"message", finding.message}};
}

Json ToJson(const CheckedFile& file) {
  const check::Report& report = file.found.report;
  Json json = {{"path", file.name}};
  if (!file.status.ok()) {
    json["error"] = base::Message(file.status);
    return json;
  }
  json["format"] = file.found.format;
  json["compression"] = file.found.compression;
  json["layout"] = file.found.layout;
  json["messages"] = file.found.message_count;
  json["errors"] = report.error_count;
  json["warnings"] = report.warning_count;
  json["infos"] = report.info_count;
  json["findings"] = Json::array();
  for (const RuleFindings& rule : report.rules) {
    for (const Finding& finding : rule.kept)
      json["findings"].push_back(ToJson(finding, rule.rule));
  }
  if (const uint64_t kept = KeptCount(report); kept < report.count())
    json["truncated"] = {{"shown", kept}, {"total", report.count()}};
  return json;
}

// Bytes that are not UTF-8 can only come from the name of a file.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FormatJson(std::span<const CheckedFile> files) {
  Json json = {{"schema", "flarestack.check/1"}, {"files", Json::array()}};
  for (const CheckedFile& file : files)
    json["files"].push_back(ToJson(file));
  return Dump(json);
}

// `row(file, rule, finding)` for each finding that was kept.
template <typename Row>
void ForEachFinding(std::span<const CheckedFile> files, Row row) {
  for (const CheckedFile& file : files) {
    for (const RuleFindings& rule : file.found.report.rules) {
      for (const Finding& finding : rule.kept)
        row(file, rule, finding);
    }
  }
}

std::string FormatLines(std::span<const CheckedFile> files) {
  std::string out;
  ForEachFinding(files,
                 [&](const CheckedFile& file, const RuleFindings& rule, const Finding& finding) {
                   Json json = {{"file", file.name}};
                   json.update(ToJson(finding, rule.rule));
                   out += Dump(json);
                 });
  return out;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos)
    return std::string(text);
  std::string field = "\"";
  for (const char c : text)
    field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

std::string FormatCsv(std::span<const CheckedFile> files) {
  std::string out = "file,rule,severity,path,message\n";
  ForEachFinding(files,
                 [&](const CheckedFile& file, const RuleFindings& rule, const Finding& finding) {
                   out += fmt::format("{},{},{},{},{}\n", CsvField(file.name),
                                      check::Info(rule.rule).id, SeverityName(finding.severity),
                                      CsvField(finding.path), CsvField(finding.message));
                 });
  return out;
}

std::string MarkdownCell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`')
      cell += '\\';
    cell += c;
  }
  return cell;
}

std::string FormatMarkdown(std::span<const CheckedFile> files) {
  std::string out;
  for (const CheckedFile& file : files) {
    if (!file.status.ok())
      continue;
    const check::Report& report = file.found.report;
    out += fmt::format("{}## {}\n\n{} ({})\n", out.empty() ? "" : "\n", MarkdownCell(file.name),
                       Counts(report), Description(file.found));
    if (report.rules.empty())
      continue;
    out += "\n| severity | rule | where | what |\n|---|---|---|---|\n";
    for (const RuleFindings& rule : report.rules) {
      const std::string_view id = check::Info(rule.rule).id;
      for (const Finding& finding : rule.kept) {
        out += fmt::format("| {} | {} | {} | {} |\n", SeverityName(finding.severity), id,
                           MarkdownCell(PathOf(finding)), MarkdownCell(finding.message));
      }
      if (rule.count > rule.kept.size())
        out += fmt::format("| | {} | | {} more |\n", id, rule.count - rule.kept.size());
    }
  }
  return out;
}

}  // namespace

std::string FormatFindings(std::span<const CheckedFile> files, std::string_view format,
                           bool has_colours) {
  if (format == "json")
    return FormatJson(files);
  if (format == "ndjson")
    return FormatLines(files);
  if (format == "csv")
    return FormatCsv(files);
  if (format == "md")
    return FormatMarkdown(files);
  return FormatText(files, has_colours);
}

std::string FormatRules(std::string_view format) {
  const auto to_json = [](const check::RuleInfo& rule) {
    return Json{{"rule", rule.id},
                {"severity", SeverityName(rule.severity)},
                {"summary", rule.summary},
                {"explanation", rule.explanation},
                {"reference", rule.reference}};
  };
  std::string out;
  if (format == "json") {
    Json json = {{"schema", "flarestack.check.rules/1"}, {"rules", Json::array()}};
    for (const check::RuleInfo& rule : check::Rules())
      json["rules"].push_back(to_json(rule));
    return Dump(json);
  }
  if (format == "csv")
    out += "rule,severity,summary\n";
  if (format == "md")
    out += "| rule | severity | what is right |\n|---|---|---|\n";
  for (const check::RuleInfo& rule : check::Rules()) {
    const std::string_view severity = SeverityName(rule.severity);
    if (format == "ndjson") {
      out += Dump(to_json(rule));
    } else if (format == "csv") {
      out += fmt::format("{},{},{}\n", rule.id, severity, CsvField(rule.summary));
    } else if (format == "md") {
      out += fmt::format("| {} | {} | {} |\n", rule.id, severity, MarkdownCell(rule.summary));
    } else {
      out += fmt::format("{:<26}{:<9}{}\n", rule.id, severity, rule.summary);
    }
  }
  return out;
}

std::string FormatRule(const check::RuleInfo& rule) {
  return fmt::format("{} ({})\n\n{}\n{}\n\nSee: {}\n", rule.id, SeverityName(rule.severity),
                     rule.summary, rule.explanation, rule.reference);
}

}  // namespace flarestack::cli
