// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command/command.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/record/doctor_report.h"
#include "record/export/otlp_environment.h"

namespace flarestack::cli {
namespace {

class DoctorCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string format_ = "text";
  bool fix_script_ = false;
};

}  // namespace

void DoctorCommand::Define(CLI::App* app) {
  CLI::Option* const format = app->add_option("--format", format_, "text or json")
                                  ->check(OneOf({"text", "json"}))
                                  ->capture_default_str();
  app->add_flag("--fix-script", fix_script_, "print a shell script that fixes what it can")
      ->excludes(format);
  app->footer(
      "Exit codes: 0 the whole system can be recorded, 5 a privilege is missing, 4 the kernel "
      "does\n"
      "not support it. Changes nothing.\n\n"
      "Examples:\n"
      "  flarestack doctor\n"
      "  flarestack doctor --format json\n"
      "  flarestack doctor --fix-script > fix.sh");
}

int DoctorCommand::Run() {
  using namespace record::agent;
  const HostReport report =
      CheckHost(ReadHostFacts("", record::exporting::ProcessVariable), ProbeHost());
  if (fix_script_) {
    fmt::print("{}", DoctorFixScript(report));
    return kSuccess;
  }
  fmt::print("{}", format_ == "json" ? DoctorJson(report) : DoctorText(report));
  return DoctorExitCode(report);
}

std::unique_ptr<Command> MakeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

}  // namespace flarestack::cli
