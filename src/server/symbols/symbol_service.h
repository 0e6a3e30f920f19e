// SPDX-License-Identifier: Apache-2.0
//
// Symbols of one tenant: its uploads, the files of this host, debuginfod servers. Tables are stored
// with the tenant's data, so uploads never name the profiles of another tenant.
//
//   DIRECTORY/uploads/    files that were pushed      DIRECTORY/tables/    built from any files
//   DIRECTORY/downloads/  temporary
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/limits/room.h"
#include "symbol/sources/uploads.h"
#include "symbol/symbolizer.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::server {

struct SymbolServiceOptions {
  std::string directory;
  std::vector<std::string> symbol_paths;           // directories and files on this host
  std::vector<std::string> debuginfod_urls;        // empty: no debuginfod
  bool uses_host_files = true;                     // /usr/lib/debug, and the paths in profiles
  uint64_t upload_bytes_max = uint64_t{16} << 30;  // total of all uploads
  uint64_t table_bytes_max = uint64_t{4} << 30;
  symbol::TableWorkerOptions worker;
  const Room* room = nullptr;  // whether files are accepted; null: always
};

class SymbolService {
 public:
  static absl::StatusOr<std::unique_ptr<SymbolService>> Open(const SymbolServiceOptions& options);
  ~SymbolService();

  // Whether there is disk space for pushed files.
  absl::Status Admit() const { return room_ == nullptr ? absl::OkStatus() : room_->Admit(); }

  symbol::Symbolizer& symbolizer() { return *symbolizer_; }
  symbol::Uploads& uploads() { return *uploads_; }

 private:
  SymbolService() = default;

  const Room* room_ = nullptr;
  std::unique_ptr<symbol::TableWorker> worker_;
  std::shared_ptr<symbol::Uploads> uploads_;
  std::unique_ptr<symbol::Symbolizer> symbolizer_;  // last: its threads use the other members
};

}  // namespace flarestack::server
