// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file/file_bytes.h"
#include "base/status.h"
#include "check/check.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/flags/byte_limit.h"
#include "cli/input/inputs.h"
#include "cli/reports/check_output.h"
#include "cli/terminal/terminal.h"

namespace flarestack::cli {
namespace {

class CheckCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags() const;
  int List() const;
  int Explain() const;
  CheckedFile CheckOne(const std::string& path) const;

  std::vector<std::string> paths_;
  std::string from_;  // format of the inputs
  ReportFormat format_ = ReportFormat::kText;
  std::string explained_rule_;
  uint64_t shown_max_ = check::CheckOptions{}.findings_per_rule;
  uint64_t bytes_max_ = codec::InputLimits{}.bytes_max;
  bool list_ = false;
  bool strict_ = false;
  bool layout_ = false;
  bool response_ = false;
};

int ReportUnreadable(const CheckedFile& file, uint64_t bytes_max) {
  const std::string why(base::Message(file.status));
  const bool is_limit = why.find(std::to_string(bytes_max)) != std::string::npos;
  return Report({"cannot check " + file.name, why,
                 is_limit ? "raise --max-bytes if you trust the file" : "flarestack help check"},
                kFailed);
}

}  // namespace

void CheckCommand::Define(CLI::App* app) {
  app->add_option("FILE", paths_, "profiles in any format; - reads standard input");
  app->add_flag("--strict", strict_, "treat warnings as errors");
  app->add_option("-n", shown_max_, "findings shown per rule (default 10, 0 for all)")
      ->check(CLI::Validator(CheckByteLimit, "", "number"));
  DefineFormat(app, &format_);
  app->add_flag("--list", list_, "list the rules and exit");
  app->add_option("--explain", explained_rule_, "explain a rule");
  app->add_flag("--layout", layout_, "print the OTLP layout version of each file and exit");
  app->add_flag("--response", response_, "the files are OTLP export responses");
  AddInputFormat(app, &from_);
  AddByteLimit(app, &bytes_max_);
  app->footer(
      "OTLP is checked as it was sent; other formats are converted to OTLP first.\n"
      "Exit codes: 0 no findings, 4 errors found (with --strict also warnings),\n"
      "1 a file cannot be read, 2 invalid command line.\n\n"
      "Examples:\n"
      "  flarestack check profile.otlp                      all rules, as text\n"
      "  flarestack check --strict --format json *.otlp     for a build\n"
      "  curl -s $URL | flarestack check -                  from a pipe\n"
      "  flarestack check --explain mapping-build-id");
}

int CheckCommand::CheckFlags() const {
  if (paths_.empty()) {
    return Report(
        {"no input file", "the command line has no file argument", "flarestack help check"},
        kUsage);
  }
  if (const int code = RejectRepeatedStandardInput(paths_); code != kSuccess)
    return code;
  if (layout_ && response_) {
    return Report({"--layout and --response are mutually exclusive",
                   "an export response has no layout", "use one of them"},
                  kUsage);
  }
  if (response_ && !from_.empty()) {
    return Report({"--from and --response are mutually exclusive",
                   "an export response is not a profile", "use one of them"},
                  kUsage);
  }
  return kSuccess;
}

int CheckCommand::List() const {
  Show(FormatRules(format_));
  return kSuccess;
}

int CheckCommand::Explain() const {
  const check::RuleInfo* rule = check::FindRule(explained_rule_);
  if (rule == nullptr) {
    return Report({fmt::format("unknown rule \"{}\"", explained_rule_),
                   "flarestack check --list lists all rules", "flarestack check --list"},
                  kUsage);
  }
  Show(FormatRule(*rule));
  return kSuccess;
}

CheckedFile CheckCommand::CheckOne(const std::string& path) const {
  CheckedFile file;
  file.name = InputName(path);
  const auto bytes = base::FileBytes::Open(path, bytes_max_);
  if (!bytes.ok()) {
    file.status = bytes.status();
    return file;
  }
  const check::CheckOptions options = {.findings_per_rule = shown_max_,
                                       .limits = LimitsOf(bytes_max_, from_)};
  auto found = response_ ? check::CheckResponse(std::string(bytes->view()), options)
                         : check::CheckBytes(bytes->view(), options);
  file.status = found.status();
  if (found.ok())
    file.found = *std::move(found);
  return file;
}

int CheckCommand::Run() {
  if (list_)
    return List();
  if (!explained_rule_.empty())
    return Explain();
  if (const int code = CheckFlags(); code != kSuccess)
    return code;
  std::vector<CheckedFile> files;
  for (const std::string& path : paths_)
    files.push_back(CheckOne(path));
  if (layout_) {
    for (const CheckedFile& file : files) {
      if (file.status.ok()) {
        fmt::print("{}: {}\n", file.name,
                   file.found.layout.empty() ? file.found.format : file.found.layout);
      }
    }
  } else {
    Show(FormatFindings(files, format_, UseColour()));
  }
  bool is_unreadable = false;
  bool has_findings = false;
  for (const CheckedFile& file : files) {
    if (!file.status.ok()) {
      ReportUnreadable(file, bytes_max_);
      is_unreadable = true;
    }
    const check::Report& report = file.found.report;
    has_findings = has_findings || report.error_count > 0 || (strict_ && report.warning_count > 0);
  }
  if (is_unreadable)
    return kFailed;
  return has_findings && !layout_ ? kCheckFailed : kSuccess;
}

std::unique_ptr<Command> MakeCheckCommand() { return std::make_unique<CheckCommand>(); }

}  // namespace flarestack::cli
