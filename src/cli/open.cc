// SPDX-License-Identifier: Apache-2.0
#include "cli/open.h"

#include "cli/byte_limit.h"
#include "cli/inputs.h"

namespace flarestack::cli {

void OpenCommand::Define(CLI::App* app) {
  app->add_option("FILE", paths_, "profiles of any format; - is standard input")->required();
  app->add_flag("!--no-open", options_.opens_browser, "print the link, and start no browser");
  app->add_option("--port", options_.port, "of the page; 0 is any free one (default 0)");
  AddInputFormat(app, &options_.format);
  sources_.Define(app);
  AddByteLimit(app, &options_.bytes_max);
  app->footer(
      "Shows files in the pages of a server of their own, on this machine alone, until Ctrl-C.\n"
      "Nothing is kept. The browser is $BROWSER, or the one of the desktop; where there is none,\n"
      "the link is printed. Two files can be compared.\n"
      "The page of a function shows its source text where a folder of --source-path has the file;\n"
      "without that flag the current folder is looked at.\n"
      "\nExamples:\n"
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

}  // namespace flarestack::cli
