// SPDX-License-Identifier: Apache-2.0
//
// Where the names of one tenant's profiles come from: what they uploaded, the files of this host,
// debuginfod servers. Tables are kept beside the tenant's data, so that nobody's uploads name the
// profiles of another.
//
//   DIRECTORY/uploads/    files that were pushed      DIRECTORY/tables/    made of any files
//   DIRECTORY/downloads/  while they are read
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
  std::vector<std::string> symbol_paths;     // directories and files of this host
  std::vector<std::string> debuginfod_urls;  // none: nobody is asked
  bool uses_host_files = true;               // /usr/lib/debug, and the paths that profiles name
  uint64_t upload_bytes_max = uint64_t{16} << 30;  // of all uploads together
  uint64_t table_bytes_max = uint64_t{4} << 30;
  symbol::TableWorkerOptions worker;
  const Room* room = nullptr;  // whether files are taken; null: always
};

class SymbolService {
 public:
  static absl::StatusOr<std::unique_ptr<SymbolService>> Open(const SymbolServiceOptions& options);
  ~SymbolService();

  // Whether there is room on the disk for files that are pushed.
  absl::Status Admit() const { return room_ == nullptr ? absl::OkStatus() : room_->Admit(); }

  symbol::Symbolizer& symbolizer() { return *symbolizer_; }
  symbol::Uploads& uploads() { return *uploads_; }

 private:
  SymbolService() = default;

  const Room* room_ = nullptr;
  std::unique_ptr<symbol::TableWorker> worker_;
  std::shared_ptr<symbol::Uploads> uploads_;
  std::unique_ptr<symbol::Symbolizer> symbolizer_;  // last: its threads use the rest
};

}  // namespace flarestack::server
