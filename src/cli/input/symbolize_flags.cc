// SPDX-License-Identifier: Apache-2.0
#include "cli/input/symbolize_flags.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "cli/terminal/temporary_folder.h"
#include "model/builder/batch_builder.h"
#include "symbol/batch_names.h"
#include "symbol/host_files.h"
#include "symbol/sources/debuginfod.h"
#include "symbol/symbolizer.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::cli {
namespace {

std::string Describe(const symbol::Module& module, const std::vector<symbol::Attempt>& attempts) {
  std::string text = base::StrCat(module.path, " (", module.Key(), ")");
  for (const symbol::Attempt& attempt : attempts)
    base::StrAppend(&text, "; ", attempt.source, ": ", attempt.outcome);
  return text;
}

// Follows the XDG base directory specification; empty without a home.
std::string CacheDirectoryOfUser() {
  const char* const cache_home = std::getenv("XDG_CACHE_HOME");
  if (cache_home != nullptr && *cache_home != '\0')
    return base::StrCat(cache_home, "/flarestack/symbols");
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? base::StrCat(home, "/.cache/flarestack/symbols") : "";
}

bool CanKeepFiles(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  return !error && access(directory.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::string SymbolCacheDirectory() {
  std::string directory = CacheDirectoryOfUser();
  return directory.empty() || CanKeepFiles(directory) ? directory : "";
}

void SymbolizeFlags::Define(CLI::App* app, Default by_default) {
  CLI::Option* symbolize = nullptr;
  if (by_default == Default::kOff) {
    symbolize = app->add_flag("--symbolize", is_on_, "symbolize frames that have only an address");
  } else {
    is_on_ = true;
    app->add_flag("!--no-symbolize", is_on_, "keep addresses, to be symbolized elsewhere");
  }
  const std::string when = symbolize == nullptr ? "" : "with --symbolize: ";
  CLI::Option* const paths = app->add_option("--symbol-path", symbol_paths_,
                                             when + "directory or file with symbols; repeatable")
                                 ->allow_extra_args(false);
  CLI::Option* const servers = app->add_option(
      "--debuginfod", debuginfod_, when + "URLs of debuginfod servers (default: $DEBUGINFOD_URLS)");
  if (symbolize != nullptr) {
    paths->needs(symbolize);
    servers->needs(symbolize);
  }
}

void SymbolizeFlags::Apply(model::Batch* batch, Progress* progress, base::Warnings* warnings,
                           std::unique_ptr<symbol::SymbolSource> last) const {
  const auto downloads = TemporaryFolder::Make("flarestack");
  symbol::TableWorker worker({});
  symbol::SymbolizerOptions options;
  options.make_table = [&](const symbol::SymbolFiles& files) { return worker.Make(files); };
  options.cache.directory = SymbolCacheDirectory();
  symbol::HostFilesOptions host;
  host.symbol_paths = symbol_paths_;
  options.sources.push_back(std::make_unique<symbol::HostFiles>(std::move(host)));
  if (last != nullptr)
    options.sources.push_back(std::move(last));
  const char* const variable = std::getenv("DEBUGINFOD_URLS");
  const std::vector<std::string> urls = symbol::ParseDebuginfodUrls(
      debuginfod_.empty() && variable != nullptr ? variable : debuginfod_);
  if (!urls.empty() && downloads.ok()) {
    options.sources.push_back(std::make_unique<symbol::Debuginfod>(
        symbol::DebuginfodOptions{.urls = urls, .directory = downloads->path()}));
  }
  symbol::Symbolizer symbolizer(std::move(options));
  std::set<std::string> renewed;
  const auto table_of =
      [&](const symbol::Module& module) -> std::shared_ptr<const symbol::SymbolTable> {
    progress->Step(base::StrCat("searching symbols of ", module.path));
    // A cached table may come from a file with less information than those named now.
    if (!symbol_paths_.empty() && renewed.insert(module.Key()).second)
      symbolizer.Forget(module.Key());
    std::vector<symbol::Attempt> attempts;
    auto table = symbolizer.Find(module, &attempts);
    if (table.ok())
      return *std::move(table);
    warnings->Add("no symbols found", Describe(module, attempts));
    return nullptr;
  };
  symbol::NameCache names;
  symbol::NameLocations(table_of, &names, batch);
  // New names may duplicate existing ones, so merge them.
  model::BatchBuilder builder;
  builder.Merge(*batch);
  if (auto merged = std::move(builder).Finish(); merged.ok())
    *batch = *std::move(merged);
}

}  // namespace flarestack::cli
