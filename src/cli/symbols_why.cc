// SPDX-License-Identifier: Apache-2.0
#include "cli/symbols_why.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/human_value.h"
#include "base/status.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "symbol/file_ids.h"
#include "symbol/symbol_table.h"

namespace flarestack::cli {
namespace {

constexpr char kServers[] = "DEBUGINFOD_URLS";

std::string Count(uint64_t count) { return base::GroupDigits(static_cast<int64_t>(count)); }

void PrintIds(const symbol::Module& module) {
  fmt::print("ids\n");
  for (const symbol::FileId& id : module.ids)
    fmt::print("  {}\n", Printable(symbol::ToText(id)));
}

void PrintAttempts(const std::vector<symbol::Attempt>& attempts) {
  fmt::print("files\n");
  for (const symbol::Attempt& attempt : attempts) {
    fmt::print("  {} {}: {}\n", attempt.is_found ? '+' : '-', Printable(attempt.source),
               Printable(attempt.outcome));
  }
  const char* const servers = std::getenv(kServers);
  const bool is_set = servers != nullptr && *servers != '\0';
  fmt::print("  - {}: {}\n", kServers,
             is_set ? "is set, but this command asks no server" : "is not set");
}

// How much is known from where, the best first.
void PrintTable(const symbol::SymbolTable& table) {
  std::array<uint64_t, symbol::kQualityCount> ranges = {};
  table.VisitAll(
      [&ranges](const symbol::CodeAt& code) { ++ranges[static_cast<size_t>(code.quality())]; });
  fmt::print("known\n");
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i] > 0)
      fmt::print("  {} ranges of code from {}\n", Count(ranges[i]),
                 symbol::QualityName(static_cast<symbol::Quality>(i)));
  }
  fmt::print("  {} functions, in a table of {}\n", Count(table.function_count()),
             base::HumanValue(static_cast<int64_t>(table.bytes().size()), "bytes"));
}

}  // namespace

void WhyCommand::Define(CLI::App* app) {
  app->add_option("FILE", path_, "a program, library or debug file")->required();
  files_.Define(app);
  app->footer(
      "Says what is tried, in order, and how it ended. Exits with 3 when nothing is known.\n"
      "\nExamples:\n"
      "  flarestack symbols why /usr/bin/python3\n"
      "  flarestack symbols why --symbol-path debug/ ./server");
}

int WhyCommand::Run() {
  const auto module = ModuleOfFile(path_);
  if (!module.ok())
    return Report({"cannot read the file", std::string(base::Message(module.status())),
                   "flarestack symbols why --help"},
                  kFailed);
  PrintIds(*module);
  std::vector<symbol::Attempt> attempts;
  const auto files = files_.Find(*module, &attempts);
  PrintAttempts(attempts);
  if (!files.ok())
    return ReportNoSymbols(path_, files.status());
  const auto made = MakeTable(*files);
  if (!made.ok()) {
    return Report({"no symbols for " + path_, std::string(base::Message(made.status())),
                   "--symbol-path DIR or --debug-file FILE, if there is one"},
                  absl::IsNotFound(made.status()) ? kNothingFound : kFailed);
  }
  fmt::print("contents\n");
  for (const std::string& note : made->notes)
    fmt::print("  {}\n", Printable(note));
  const auto table = symbol::SymbolTable::Open(made->bytes);
  if (!table.ok())
    return ReportNoSymbols(path_, table.status());
  PrintTable(*table);
  return kSuccess;
}

}  // namespace flarestack::cli
