// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/check_output.h"

#include <fmt/format.h>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using check::Finding;
using check::RuleFindings;
using check::Severity;
// Keeps members in insertion order.
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

// A finding without a path concerns the whole message.
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
        // Print the severity if it differs from the one in the headline.
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
    // Writes the main members too, so that readers can rely on them.
    json["error"] = base::Message(file.status);
    json["format"] = "";
    json["layout"] = "";
    json["errors"] = 0;
    json["warnings"] = 0;
    json["findings"] = Json::array();
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

std::string FormatJson(std::span<const CheckedFile> files) {
  Json json = {{"schema", "flarestack.check/1"}, {"files", Json::array()}};
  for (const CheckedFile& file : files)
    json["files"].push_back(ToJson(file));
  return JsonText(json);
}

std::string FormatRows(std::span<const CheckedFile> files, ReportFormat format) {
  ReportRows rows({"file", "rule", "severity", "path", "message"});
  for (const CheckedFile& file : files) {
    for (const RuleFindings& rule : file.found.report.rules) {
      for (const Finding& finding : rule.kept) {
        rows.Add({file.name, std::string(check::Info(rule.rule).id),
                  std::string(SeverityName(finding.severity)), finding.path, finding.message});
      }
    }
  }
  return rows.In(format);
}

std::string FormatMarkdown(std::span<const CheckedFile> files) {
  std::string out;
  for (const CheckedFile& file : files) {
    if (!file.status.ok())
      continue;
    const check::Report& report = file.found.report;
    out += fmt::format("{}## {}\n\n{} ({})\n", out.empty() ? "" : "\n", file.name, Counts(report),
                       Description(file.found));
    if (report.rules.empty())
      continue;
    ReportRows rows({"severity", "rule", "where", "what"});
    for (const RuleFindings& rule : report.rules) {
      const std::string id(check::Info(rule.rule).id);
      for (const Finding& finding : rule.kept) {
        rows.Add({std::string(SeverityName(finding.severity)), id, std::string(PathOf(finding)),
                  finding.message});
      }
      if (rule.count > rule.kept.size())
        rows.Add({std::string(), id, std::string(),
                  fmt::format("{} more", rule.count - rule.kept.size())});
    }
    out += "\n" + rows.Markdown();
  }
  return out;
}

}  // namespace

std::string FormatFindings(std::span<const CheckedFile> files, ReportFormat format,
                           bool has_colours) {
  switch (format) {
    case ReportFormat::kText:
      return FormatText(files, has_colours);
    case ReportFormat::kJson:
      return FormatJson(files);
    case ReportFormat::kMarkdown:
      return FormatMarkdown(files);
    default:
      return FormatRows(files, format);
  }
}

std::string FormatRules(ReportFormat format) {
  if (format == ReportFormat::kText) {
    std::string out;
    for (const check::RuleInfo& rule : check::Rules())
      out += fmt::format("{:<26}{:<9}{}\n", rule.id, SeverityName(rule.severity), rule.summary);
    return out;
  }
  ReportRows rows({"rule", "severity", "summary", "explanation", "reference"});
  for (const check::RuleInfo& rule : check::Rules()) {
    rows.Add({std::string(rule.id), std::string(SeverityName(rule.severity)),
              std::string(rule.summary), std::string(rule.explanation),
              std::string(rule.reference)});
  }
  if (format == ReportFormat::kJson)
    return JsonText({{"schema", "flarestack.check.rules/1"}, {"rules", rows.Json()}});
  return rows.In(format);
}

std::string FormatRule(const check::RuleInfo& rule) {
  return fmt::format("{} ({})\n\n{}\n{}\n\nSee: {}\n", rule.id, SeverityName(rule.severity),
                     rule.summary, rule.explanation, rule.reference);
}

}  // namespace flarestack::cli
