// SPDX-License-Identifier: Apache-2.0
#include "cli/symbols/symbol_file_flags.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/status.h"
#include "cli/command/failure.h"
#include "cli/terminal/temporary_folder.h"
#include "cli/terminal/terminal.h"
#include "elf/elf_outline.h"
#include "symbol/file_ids.h"
#include "symbol/host_files.h"
#include "symbol/sources/debuginfod.h"
#include "symbol/symbol_search.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::cli {
namespace {

// Reads the files. Prints warnings to standard error.
absl::StatusOr<symbol::MadeTable> MakeTable(const symbol::SymbolFiles& files) {
  symbol::TableWorker worker({.warn = [](const std::string& warning) {
    fmt::print(stderr, "warning: {}\n", Printable(warning));
  }});
  return worker.MakeWithNotes(files);
}

std::optional<symbol::Quality> QualityOf(const absl::StatusOr<symbol::MadeTable>& made) {
  if (!made.ok())
    return std::nullopt;
  const auto table = symbol::SymbolTable::Open(made->bytes);
  return table.ok() ? table->BestQuality() : std::nullopt;
}

}  // namespace

void SymbolFileFlags::Define(CLI::App* app) {
  app->add_option("--debug-file", debug_file_,
                  "separate debug file, if the search does not find it")
      ->type_name("FILE");
  app->add_option("--symbol-path", symbol_paths_,
                  "directory or file to search for debug files; repeatable")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app->add_option("--debuginfod", debuginfod_,
                  "URLs of debuginfod servers (default: $DEBUGINFOD_URLS)")
      ->type_name("URLS");
}

absl::StatusOr<symbol::MadeTable> SymbolFileFlags::FindTable(
    const symbol::Module& module, std::vector<symbol::Attempt>* attempts) const {
  const auto files = FindHere(module, attempts);
  absl::StatusOr<symbol::MadeTable> here =
      files.ok() ? MakeTable(*files) : absl::StatusOr<symbol::MadeTable>(files.status());
  const std::optional<symbol::Quality> quality = QualityOf(here);
  if (!debug_file_.empty() || (quality.has_value() && symbol::IsGood(*quality)))
    return here;
  absl::StatusOr<symbol::MadeTable> there = Download(module, attempts);
  const std::optional<symbol::Quality> other = QualityOf(there);
  const bool is_better = other.has_value() && (!quality.has_value() || *other < *quality);
  return is_better ? std::move(there) : std::move(here);
}

absl::StatusOr<symbol::MadeTable> SymbolFileFlags::Download(
    const symbol::Module& module, std::vector<symbol::Attempt>* attempts) const {
  constexpr char kVariable[] = "DEBUGINFOD_URLS";
  const char* const variable = std::getenv(kVariable);
  const std::vector<std::string> urls = symbol::ParseDebuginfodUrls(
      debuginfod_.empty() && variable != nullptr ? variable : debuginfod_);
  if (urls.empty()) {
    attempts->push_back(
        {.source = "debuginfod", .outcome = "neither --debuginfod nor $DEBUGINFOD_URLS is set"});
    return absl::NotFoundError("no debuginfod server is configured");
  }
  FLARE_ASSIGN(const TemporaryFolder downloads, TemporaryFolder::Make("flarestack"));
  symbol::DebuginfodOptions options;
  options.urls = urls;
  options.directory = downloads.path();
  const auto files = symbol::Debuginfod(std::move(options)).Find(module);
  attempts->push_back(
      {.source = "debuginfod",
       .outcome = files.ok() ? files->origin : std::string(base::Message(files.status())),
       .is_found = files.ok()});
  if (!files.ok())
    return files.status();
  return MakeTable(*files);
}

absl::StatusOr<symbol::SymbolFiles> SymbolFileFlags::FindHere(
    const symbol::Module& module, std::vector<symbol::Attempt>* attempts) const {
  if (!debug_file_.empty()) {
    attempts->push_back(
        {.source = debug_file_, .outcome = "given by --debug-file", .is_found = true});
    return symbol::SymbolFiles{.executable = module.path,
                               .debug_file = debug_file_,
                               .origin = module.path + " with " + debug_file_};
  }
  return symbol::HostFiles({.symbol_paths = symbol_paths_}).FindWithAttempts(module, attempts);
}

absl::StatusOr<symbol::Module> ModuleOfFile(const std::string& path) {
  const auto outline = elf::ElfOutline::Read(path);
  if (!outline.ok())
    return base::WithContext(path, outline.status());
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return symbol::Module{.ids = symbol::IdsOf(*outline),
                        .path = error ? path : absolute.lexically_normal().string()};
}

int ReportNoSymbols(const std::string& path, const absl::Status& status) {
  return Report({"no symbols for " + path, std::string(base::Message(status)),
                 "flarestack symbols why " + path},
                absl::IsNotFound(status) ? kNothingFound : kFailed);
}

}  // namespace flarestack::cli
