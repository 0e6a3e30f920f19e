// SPDX-License-Identifier: Apache-2.0
#include "cli/symbol_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/status.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "elf/elf_outline.h"
#include "symbol/file_ids.h"
#include "symbol/host_files.h"

namespace flarestack::cli {

void SymbolFileFlags::Define(CLI::App* app) {
  app->add_option("--debug-file", debug_file_, "the separate debug file, where no search finds it")
      ->type_name("FILE");
  app->add_option("--symbol-path", symbol_paths_,
                  "a directory or file to look for debug files in; again for more")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

absl::StatusOr<symbol::SymbolFiles> SymbolFileFlags::Find(
    const symbol::Module& module, std::vector<symbol::Attempt>* attempts) const {
  if (!debug_file_.empty()) {
    attempts->push_back({.source = debug_file_, .outcome = "was named by you", .is_found = true});
    return symbol::SymbolFiles{.executable = module.path,
                               .debug_file = debug_file_,
                               .origin = module.path + " with " + debug_file_};
  }
  return symbol::HostFiles({.symbol_paths = symbol_paths_}).FindAndTell(module, attempts);
}

absl::StatusOr<symbol::Module> ModuleOfFile(const std::string& path) {
  const auto outline = elf::ElfOutline::Read(path);
  if (!outline.ok())
    return base::Under(path, outline.status());
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return symbol::Module{.ids = symbol::IdsOf(*outline),
                        .path = error ? path : absolute.lexically_normal().string()};
}

absl::StatusOr<symbol::MadeTable> MakeTable(const symbol::SymbolFiles& files) {
  symbol::TableWorker worker({.warn = [](const std::string& warning) {
    fmt::print(stderr, "warning: {}\n", Printable(warning));
  }});
  return worker.MakeWithNotes(files);
}

int ReportNoSymbols(const std::string& path, const absl::Status& status) {
  return Report({"no symbols for " + path, std::string(base::Message(status)),
                 "flarestack symbols why " + path},
                absl::IsNotFound(status) ? kNothingFound : kFailed);
}

}  // namespace flarestack::cli
