// SPDX-License-Identifier: Apache-2.0
#include "record/agent/host_symbols.h"

#include <algorithm>
#include <utility>

#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/builder/batch_builder.h"
#include "model/validation/validate.h"
#include "symbol/batch_names.h"
#include "symbol/host_files.h"
#include "symbol/sources/debuginfod.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::record::agent {

namespace {

// More than one, so that a large file does not hold up all others.
constexpr int kSearchThreads = 2;

// Returns the modules of frames without a name, those with the most frames first.
std::vector<symbol::Module> NamelessModules(const model::Dictionary& dictionary) {
  std::vector<uint32_t> frames(dictionary.mappings.size());
  for (const model::Location& location : dictionary.locations) {
    if (symbol::IsNameless(dictionary, location))
      ++frames[location.mapping.value];
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < frames.size(); ++i) {
    if (frames[i] > 0)
      order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return frames[a] > frames[b]; });
  std::vector<symbol::Module> modules;
  for (const uint32_t index : order) {
    symbol::Module module = symbol::ModuleOf(dictionary, dictionary.mappings[index]);
    if (!module.ids.empty())
      modules.push_back(std::move(module));
  }
  return modules;
}

// A name that was found may equal one the batch already has.
void MergeEqual(model::Batch* batch) {
  model::BatchBuilder builder;
  builder.Merge(*batch);
  if (auto merged = std::move(builder).Finish(); merged.ok())
    *batch = *std::move(merged);
}

}  // namespace

struct HostSymbols::Worker {
  symbol::TableWorker tables{{}};
};

HostSymbols::HostSymbols(const HostSymbolsOptions& options) : worker_(std::make_unique<Worker>()) {
  symbol::SymbolizerOptions symbolizer;
  symbolizer.make_table = [worker = worker_.get()](const symbol::SymbolFiles& files) {
    return worker->tables.Make(files);
  };
  symbolizer.threads = kSearchThreads;
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

std::vector<std::string> HostSymbols::Want(const std::vector<RecordedFile>& files,
                                           const model::Batch& batch) {
  recorded_->Update(files, std::chrono::steady_clock::now());
  return WantTables(batch);
}

std::vector<std::string> HostSymbols::WantTables(const model::Batch& batch) {
  std::vector<std::string> keys;
  for (const symbol::Module& module : NamelessModules(batch.dictionary)) {
    std::string key = module.Key();
    if (symbolizer_->Ready(key) != nullptr)
      continue;
    symbolizer_->Want(module);
    keys.push_back(std::move(key));
  }
  return keys;
}

bool HostSymbols::Await(const std::vector<std::string>& keys, Time deadline) const {
  return symbolizer_->Await(keys, deadline);
}

symbol::NamingResult HostSymbols::NameLocations(model::Batch* batch) {
  std::vector<std::shared_ptr<const symbol::SymbolTable>> used;
  const symbol::NamingResult result = symbol::NameLocations(
      [&](const symbol::Module& module) {
        used.push_back(symbolizer_->Ready(module.Key()));
        return used.back();
      },
      &names_, batch);
  named_count_ += result.named;
  // Tables are large, and a batch touches only a few of their pages.
  for (const auto& table : used) {
    if (table != nullptr)
      table->DropMemory();
  }
  return result;
}

void HostSymbols::Name(model::Batch* batch) {
  unnamed_count_ += NameLocations(batch).unnamed;
  MergeEqual(batch);
}

std::optional<std::string> HostSymbols::NameRequest(std::string_view request, Time deadline) {
  model::Batch batch;
  if (!codec::otlp::DecodeProtobuf(request, {}, &batch).ok() || !model::ValidateIndices(batch).ok())
    return std::nullopt;
  Await(WantTables(batch), deadline);
  if (NameLocations(&batch).named == 0)
    return std::nullopt;
  MergeEqual(&batch);
  codec::wire::ReverseWriter named(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &named);
  return std::string(named.view());
}

}  // namespace flarestack::record::agent
