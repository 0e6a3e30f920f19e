// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "base/version.h"
#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/makers.h"

namespace flarestack::cli {
namespace {

class VersionCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  bool json_ = false;
};

#if defined(__x86_64__)
constexpr const char* kArchitecture = "x86-64";
#elif defined(__aarch64__)
constexpr const char* kArchitecture = "arm64";
#else
#error "x86-64 and arm64 are supported"
#endif

}  // namespace

std::string_view ProgramVersion() { return base::kVersion; }

void VersionCommand::Define(CLI::App* app) {
  app->add_flag("--json", json_, "as a JSON object");
  app->footer("Example:\n  flarestack version");
}

int VersionCommand::Run() {
  if (json_) {
    fmt::print(
        "{{\"schema\":\"flarestack.version/"
        "1\",\"version\":\"{}\",\"commit\":\"{}\",\"compiler\":\"{}\","
        "\"architecture\":\"{}\"}}\n",
        base::kVersion, base::kCommit, __VERSION__, kArchitecture);
  } else {
    fmt::print("flarestack {} ({}, compiler {}, {})\n", base::kVersion, base::kCommit, __VERSION__,
               kArchitecture);
  }
  return kSuccess;
}

std::unique_ptr<Command> MakeVersionCommand() { return std::make_unique<VersionCommand>(); }

}  // namespace flarestack::cli
