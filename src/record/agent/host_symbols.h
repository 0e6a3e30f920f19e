// SPDX-License-Identifier: Apache-2.0
//
// Symbolizes frames recorded on this host. Other threads and processes build symbol tables in the
// background; a batch waits for those of its new modules up to a deadline. Frames without a name by
// then keep their file ids, and are symbolized when their request is sent, or by the server.
//
//   const auto keys = symbols.Want(files, batch);
//   symbols.Await(keys, deadline);
//   symbols.Name(&batch);
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/batch.h"
#include "record/code/recorded_files.h"
#include "symbol/batch_names.h"
#include "symbol/name_cache.h"
#include "symbol/symbolizer.h"

namespace flarestack::record::agent {

struct HostSymbolsOptions {
  std::string cache_directory;  // empty: tables are kept in memory
  std::vector<std::string> symbol_paths;
  std::vector<std::string> debuginfod_urls;
  std::string download_directory;                 // for files from debuginfod servers
  uint64_t open_bytes_max = uint64_t{256} << 20;  // of mapped tables
};

class HostSymbols {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit HostSymbols(const HostSymbolsOptions& options);
  ~HostSymbols();

  // Starts building the tables that the batch needs and that do not exist yet, those with the most
  // frames first. Returns the keys of the modules. `files` are the recorded files, as returned by
  // Recorder::OpenFiles.
  std::vector<std::string> Want(const std::vector<RecordedFile>& files, const model::Batch& batch);

  // Waits until the search for each of these modules has ended. Returns false if the deadline
  // passes first.
  bool Await(const std::vector<std::string>& keys, Time deadline) const;

  // Symbolizes frames with the tables available now.
  void Name(model::Batch* batch);

  // The same for a request that was encoded earlier; waits for its tables until `deadline`. Returns
  // nullopt if no further frame could be symbolized.
  std::optional<std::string> NameRequest(std::string_view request, Time deadline);

  uint64_t named_count() const { return named_count_; }
  uint64_t unnamed_count() const { return unnamed_count_; }

 private:
  struct Worker;

  std::vector<std::string> WantTables(const model::Batch& batch);
  symbol::NamingResult NameLocations(model::Batch* batch);

  std::unique_ptr<Worker> worker_;
  RecordedFiles* recorded_;  // one of the symbolizer's sources
  std::unique_ptr<symbol::Symbolizer> symbolizer_;
  symbol::NameCache names_{/*bytes_max=*/4 << 20};
  std::atomic<uint64_t> named_count_ = 0;
  std::atomic<uint64_t> unnamed_count_ = 0;
};

}  // namespace flarestack::record::agent
