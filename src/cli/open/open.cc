// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/makers.h"
#include "cli/flags/byte_limit.h"
#include "cli/flags/source_flags.h"
#include "cli/input/inputs.h"
#include "cli/open/file_viewer.h"

namespace flarestack::cli {
namespace {

class OpenCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::vector<std::string> paths_;
  ViewOptions options_;
  SourceFlags sources_;
};

}  // namespace

void OpenCommand::Define(CLI::App* app) {
  app->add_option("FILE", paths_, "profiles in any format; - reads standard input")->required();
  app->add_flag("!--no-open", options_.opens_browser, "print the link without opening a browser");
  app->add_option("--port", options_.port, "port of the web UI; 0 picks a free one (default 0)");
  AddInputFormat(app, &options_.format);
  sources_.Define(app);
  AddByteLimit(app, &options_.bytes_max);
  app->footer(
      "Shows files in the web UI of a temporary local server until Ctrl-C. Nothing is stored.\n"
      "Uses $BROWSER or the desktop browser, and prints the link if there is none. Two files can "
      "be\n"
      "compared. The function page shows source code found below --source-path (default: current\n"
      "directory).\n\n"
      "Examples:\n"
      "  flarestack open cpu.pb.gz\n"
      "  flarestack open before.pb.gz after.pb.gz\n"
      "  perf script | flarestack open -\n"
      "  flarestack open --no-open --port 8080 profile.otlp");
}

int OpenCommand::Run() {
  if (const std::optional<Failure> failure = sources_.Read(&options_.sources); failure.has_value())
    return Report(*failure, kUsage);
  return ViewFiles(paths_, options_);
}

std::unique_ptr<Command> MakeOpenCommand() { return std::make_unique<OpenCommand>(); }

}  // namespace flarestack::cli
