// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/usage_error.h"
#include "cli/help.h"
#include "model/gauge_type.h"

namespace flarestack::cli {
namespace {

// Reads comma-separated names from $FLARESTACK_GAUGE_TYPE. Call before starting threads.
void ReadGaugeTypes() {
  const char* const names = std::getenv("FLARESTACK_GAUGE_TYPE");
  if (names == nullptr)
    return;
  const std::vector<std::string> types = absl::StrSplit(names, ',', absl::SkipWhitespace());
  model::AddGaugeTypes(types);
}

int RunCommand(const CommandEntry& entry, int argc, char** argv) {
  const std::unique_ptr<Command> command = entry.make();
  const std::unique_ptr<CLI::App> app = MakeApp(entry, command.get());
  try {
    app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app->help());
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    return Report(ExplainUsageError(error, *app, entry.name), kUsage);
  }
  return command->Run();
}

// Output may still be buffered, and flushing it may fail: a full disk is an error.
int CheckOutput(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return code;
  return Report({"cannot write standard output", std::strerror(errno), ""}, kFailed);
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    PrintFirstSteps();
    return CheckOutput(kSuccess);
  }
  if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0) {
    PrintOverview();
    return CheckOutput(kSuccess);
  }
  const char* name = std::strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
  const CommandEntry* entry = FindCommand(name);
  if (entry == nullptr)
    return Report(UnknownCommand(argv[1]), kUsage);
  ReadGaugeTypes();
  try {
    return CheckOutput(RunCommand(*entry, argc - 1, argv + 1));
  } catch (const std::bad_alloc&) {
    return Report(
        {"out of memory", "the input needs more memory than this machine has", "lower --max-bytes"},
        kFailed);
  } catch (const std::exception& error) {
    return Report({"unexpected failure", error.what(), ""}, kFailed);
  }
}

}  // namespace

}  // namespace flarestack::cli

int main(int argc, char** argv) { return flarestack::cli::Main(argc, argv); }
