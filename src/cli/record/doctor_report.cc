// SPDX-License-Identifier: Apache-2.0
#include "cli/record/doctor_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "cli/output/report_format.h"

namespace flarestack::cli {
namespace {

using record::agent::Finding;
using record::agent::FindingLevel;
using record::agent::HostReport;
using record::agent::RecordMode;

// A script cannot set a variable of its parent shell.
bool IsForTheShellItself(const Finding& finding) { return finding.fix.starts_with("export "); }

// Commands of the missing findings, or of all, in their order and without duplicates.
std::vector<std::string> Commands(const HostReport& report, bool missing_alone) {
  std::vector<std::string> commands;
  for (const Finding& finding : report.findings) {
    const bool counts = !missing_alone || finding.level == FindingLevel::kMissing;
    if (!counts || finding.fix.empty() || IsForTheShellItself(finding))
      continue;
    if (std::find(commands.begin(), commands.end(), finding.fix) == commands.end())
      commands.push_back(finding.fix);
  }
  return commands;
}

std::string_view Headline(RecordMode mode) {
  switch (mode) {
    case RecordMode::kWholeSystem:
      return "the whole system can be recorded here";
    case RecordMode::kOwnProcesses:
      return "only your own processes can be recorded here, not the whole system";
    case RecordMode::kNothing:
      return "nothing can be recorded here";
  }
  return "";
}

// The one command to type next.
std::string NextStep(const HostReport& report) {
  const std::vector<std::string> commands = Commands(report, true);
  const bool is_hopeless =
      std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
        return finding.level == FindingLevel::kMissing && finding.fix.empty();
      });
  if (report.mode == RecordMode::kWholeSystem)
    return "";
  if (is_hopeless)
    return "\nno automatic fix is available for the problems above\n";
  if (commands.size() == 1)
    return base::StrCat("\nto fix: ", commands.front(), "\n");
  return "\nto fix: flarestack doctor --fix-script | sh\n";
}

// Returns "99.8 %"; "-" for a part of nothing.
std::string Percentage(uint64_t part, uint64_t whole) {
  if (whole == 0)
    return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string SurveyText(const SurveyResult& result) {
  if (!result.has_value())
    return "";
  if (!result->ok())
    return base::StrCat("\nrecording failed: ", base::Message(result->status()), "\n");
  const RuntimeSurvey& survey = **result;
  std::string text =
      fmt::format("\nrecorded all processes for {:.1f} s: {} samples\n",
                  static_cast<double>(survey.duration.count()) / 1000, survey.samples);
  if (survey.runtimes.empty())
    text += "  no Python, Java or Node.js process used a CPU\n";
  else
    text += fmt::format("  {:<56}{:>10}{:>9}{:>10}{:>9}\n", "language runtime", "processes",
                        "samples", "complete", "named");
  for (const RuntimeShare& share : survey.runtimes) {
    text += fmt::format("  {:<56}{:>10}{:>9}{:>10}{:>9}\n", share.runtime, share.processes,
                        share.samples, Percentage(share.samples_complete, share.samples),
                        Percentage(share.frames_named, share.frames));
    for (const auto& [reason, samples] : share.reasons)
      text += fmt::format("    incomplete: {} ({} samples)\n", reason, samples);
  }
  for (const std::string& problem : survey.problems)
    text += base::StrCat("  no names: ", problem, "\n");
  return text;
}

nlohmann::ordered_json SurveyJson(const SurveyResult& result) {
  if (!result->ok())
    return {{"error", std::string(base::Message(result->status()))}};
  const RuntimeSurvey& survey = **result;
  nlohmann::ordered_json json = {{"durationMs", survey.duration.count()},
                                 {"samples", survey.samples},
                                 {"runtimes", nlohmann::ordered_json::array()},
                                 {"problems", survey.problems}};
  for (const RuntimeShare& share : survey.runtimes) {
    json["runtimes"].push_back({{"runtime", share.runtime},
                                {"processes", share.processes},
                                {"samples", share.samples},
                                {"samplesComplete", share.samples_complete},
                                {"frames", share.frames},
                                {"framesNamed", share.frames_named},
                                {"incomplete", share.reasons}});
  }
  return json;
}

}  // namespace

std::string DoctorText(const HostReport& report, const SurveyResult& survey) {
  std::string text = base::StrCat(Headline(report.mode), "\n\n");
  std::map<std::string, std::string> first_with;  // command -> id
  for (const Finding& finding : report.findings) {
    fmt::format_to(std::back_inserter(text), "  {:<8}{:<23}{}\n", FindingLevelName(finding.level),
                   finding.id, finding.what);
    if (!finding.why.empty())
      fmt::format_to(std::back_inserter(text), "{:33}{}\n", "", finding.why);
    if (finding.fix.empty())
      continue;
    // Print a long command only once.
    const auto [first, is_new] = first_with.emplace(finding.fix, finding.id);
    fmt::format_to(std::back_inserter(text), "{:33}run: {}\n", "",
                   is_new ? finding.fix : base::StrCat("as for ", first->second));
  }
  return base::StrCat(text, SurveyText(survey), NextStep(report));
}

std::string DoctorJson(const HostReport& report, const SurveyResult& survey) {
  nlohmann::ordered_json json = {{"schema", "flarestack.doctor/1"},
                                 {"mode", RecordModeName(report.mode)},
                                 {"lacksPrivilege", report.LacksPrivilege()}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"id", finding.id},
                                {"level", FindingLevelName(finding.level)},
                                {"what", finding.what},
                                {"why", finding.why},
                                {"fix", finding.fix},
                                {"privilege", finding.is_privilege}});
  }
  if (survey.has_value())
    json["recording"] = SurveyJson(survey);
  return JsonText(json);
}

std::string DoctorFixScript(const HostReport& report) {
  std::string script =
      "#!/bin/sh\n"
      "# What flarestack doctor would change on this host. Read it before you run it.\n"
      "set -e\n";
  for (const Finding& finding : report.findings) {
    if (finding.level == FindingLevel::kOk)
      continue;
    if (finding.fix.empty())
      base::StrAppend(&script, "# ", finding.id, ": no command can fix this: ", finding.why, "\n");
    else if (IsForTheShellItself(finding))
      base::StrAppend(&script, "# ", finding.id, ": in the shell that records: ", finding.fix,
                      "\n");
  }
  const std::vector<std::string> commands = Commands(report, false);
  for (const std::string& command : commands)
    base::StrAppend(&script, command, "\n");
  if (commands.empty())
    script += "# Nothing to fix.\n";
  return script;
}

ExitCode DoctorExitCode(const HostReport& report, const SurveyResult& survey) {
  if (report.mode == RecordMode::kWholeSystem)
    return survey.has_value() && !survey->ok() ? kCheckFailed : kSuccess;
  return report.LacksPrivilege() ? kNoPrivilege : kCheckFailed;
}

}  // namespace flarestack::cli
