// SPDX-License-Identifier: Apache-2.0
#include "server/symbols/symbol_service.h"

#include <utility>

#include "base/status.h"
#include "symbol/host_files.h"
#include "symbol/sources/debuginfod.h"

namespace flarestack::server {
namespace {

// The symbolizer owns its sources, but requests also add uploads, so both share them.
class SharedUploads : public symbol::SymbolSource {
 public:
  explicit SharedUploads(std::shared_ptr<symbol::Uploads> uploads) : uploads_(std::move(uploads)) {}
  std::string name() const override { return uploads_->name(); }
  absl::StatusOr<symbol::SymbolFiles> Find(const symbol::Module& module) override {
    return uploads_->Find(module);
  }

 private:
  const std::shared_ptr<symbol::Uploads> uploads_;
};

std::unique_ptr<symbol::SymbolSource> HostSource(const SymbolServiceOptions& options) {
  symbol::HostFilesOptions host;
  host.symbol_paths = options.symbol_paths;
  host.may_use_mapped_path = options.uses_host_files;
  if (!options.uses_host_files)
    host.debug_directories.clear();
  return std::make_unique<symbol::HostFiles>(std::move(host));
}

}  // namespace

// Cancels tables that are being built.
SymbolService::~SymbolService() {
  if (worker_ != nullptr)
    worker_->Cancel();
}

absl::StatusOr<std::unique_ptr<SymbolService>> SymbolService::Open(
    const SymbolServiceOptions& options) {
  std::unique_ptr<SymbolService> service(new SymbolService());
  service->room_ = options.room;
  FLARE_ASSIGN(service->uploads_,
               symbol::Uploads::Open({.directory = options.directory + "/uploads",
                                      .directory_bytes_max = options.upload_bytes_max}));
  service->worker_ = std::make_unique<symbol::TableWorker>(options.worker);
  symbol::SymbolizerOptions symbolizer;
  symbolizer.make_table = [worker = service->worker_.get()](const symbol::SymbolFiles& files) {
    return worker->Make(files);
  };
  symbolizer.cache = {.directory = options.directory + "/tables",
                      .disk_bytes_max = options.table_bytes_max};
  symbolizer.sources.push_back(std::make_unique<SharedUploads>(service->uploads_));
  if (options.uses_host_files || !options.symbol_paths.empty())
    symbolizer.sources.push_back(HostSource(options));
  if (!options.debuginfod_urls.empty()) {
    symbolizer.sources.push_back(std::make_unique<symbol::Debuginfod>(symbol::DebuginfodOptions{
        .urls = options.debuginfod_urls, .directory = options.directory + "/downloads"}));
  }
  service->symbolizer_ = std::make_unique<symbol::Symbolizer>(std::move(symbolizer));
  return service;
}

}  // namespace flarestack::server
