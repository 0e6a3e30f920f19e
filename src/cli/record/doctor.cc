// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/seconds.h"
#include "cli/record/doctor_report.h"
#include "cli/record/runtime_survey.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop_signals.h"
#include "record/export/otlp_environment.h"

namespace flarestack::cli {
namespace {

class DoctorCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string format_ = "text";
  std::string duration_ = "3s";
  bool fix_script_ = false;
};

}  // namespace

void DoctorCommand::Define(CLI::App* app) {
  CLI::Option* const format = app->add_option("--format", format_, "text or json")
                                  ->check(OneOf({"text", "json"}))
                                  ->capture_default_str();
  app->add_option("-d,--duration", duration_,
                  "record all processes for this long, to see how well the stacks of language "
                  "runtimes are unwound; 0: do not record")
      ->capture_default_str();
  app->add_flag("--fix-script", fix_script_, "print a shell script that fixes what it can")
      ->excludes(format);
  app->footer(
      "Exit codes: 0 the whole system can be recorded, 5 a privilege is missing, 4 the kernel "
      "does\n"
      "not support it, or recording failed. Changes nothing.\n\n"
      "Examples:\n"
      "  flarestack doctor\n"
      "  flarestack doctor --format json\n"
      "  flarestack doctor --fix-script > fix.sh");
}

int DoctorCommand::Run() {
  using namespace record::agent;
  const auto duration = ParseSeconds(duration_);
  if (!duration.has_value()) {
    return Report({fmt::format("invalid duration \"{}\"", duration_), "",
                   "write it as 3s, 500ms or 1m; 0 does not record"},
                  kUsage);
  }
  const HostReport report =
      CheckHost(ReadHostFacts("", record::exporting::ProcessVariable), ProbeHost());
  if (fix_script_) {
    fmt::print("{}", DoctorFixScript(report));
    return kSuccess;
  }
  SurveyResult survey;
  if (report.mode == RecordMode::kWholeSystem && duration->count() > 0) {
    Progress progress(ProgressModeFrom("auto"));
    progress.Step("recording all processes");
    const StopRequest stop;
    survey = SurveyRuntimes(std::chrono::duration_cast<std::chrono::milliseconds>(*duration),
                            [&stop] { return stop.signal() == 0; });
  }
  fmt::print("{}", format_ == "json" ? DoctorJson(report, survey) : DoctorText(report, survey));
  return DoctorExitCode(report, survey);
}

std::unique_ptr<Command> MakeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

}  // namespace flarestack::cli
