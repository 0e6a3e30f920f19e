// SPDX-License-Identifier: Apache-2.0
#include "record/agent/host_symbols.h"

#include <utility>

#include "model/batch_builder.h"
#include "symbol/batch_names.h"
#include "symbol/debuginfod.h"
#include "symbol/host_files.h"
#include "symbol/table_worker.h"

namespace flarestack::record::agent {

struct HostSymbols::Worker {
  symbol::TableWorker tables{{}};
};

HostSymbols::HostSymbols(const HostSymbolsOptions& options) : worker_(std::make_unique<Worker>()) {
  symbol::SymbolizerOptions symbolizer;
  symbolizer.make_table = [worker = worker_.get()](const symbol::SymbolFiles& files) {
    return worker->tables.Make(files);
  };
  symbolizer.cache.directory = options.cache_directory;
  symbolizer.cache.open_bytes_max = options.open_bytes_max;
  symbol::HostFilesOptions host;
  host.symbol_paths = options.symbol_paths;
  symbolizer.sources.push_back(std::make_unique<symbol::HostFiles>(std::move(host)));
  auto recorded = std::make_unique<RecordedFiles>();
  recorded_ = recorded.get();
  symbolizer.sources.push_back(std::move(recorded));
  if (!options.debuginfod_urls.empty() && !options.download_directory.empty()) {
    symbolizer.sources.push_back(std::make_unique<symbol::Debuginfod>(symbol::DebuginfodOptions{
        .urls = options.debuginfod_urls, .directory = options.download_directory}));
  }
  symbolizer_ = std::make_unique<symbol::Symbolizer>(std::move(symbolizer));
}

HostSymbols::~HostSymbols() = default;

void HostSymbols::Name(const std::vector<RecordedFile>& files, model::Batch* batch) {
  recorded_->Tell(files);
  const symbol::NamingResult result = symbol::NameLocations(
      [&](const symbol::Module& module) -> std::shared_ptr<const symbol::SymbolTable> {
        auto table = symbolizer_->Ready(module.Key());
        if (table == nullptr)
          symbolizer_->Want(module);
        return table;
      },
      &names_, batch);
  named_count_ += result.named;
  unnamed_count_ += result.unnamed;
  // A name that was found may be one that was there.
  model::BatchBuilder builder;
  builder.Merge(*batch);
  if (auto merged = std::move(builder).Finish(); merged.ok())
    *batch = *std::move(merged);
}

}  // namespace flarestack::record::agent
