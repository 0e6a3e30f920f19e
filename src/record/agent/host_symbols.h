// SPDX-License-Identifier: Apache-2.0
//
// Names for what was recorded on this host. Symbol tables are made in the background, by other
// threads and processes; a window waits for those of its new modules up to a deadline. Frames that
// have no name by then keep the ids of their files, and are named when their request is sent, or by
// the server.
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
  std::string download_directory;                 // of what debuginfod servers send
  uint64_t open_bytes_max = uint64_t{256} << 20;  // of tables, mapped
};

class HostSymbols {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit HostSymbols(const HostSymbolsOptions& options);
  ~HostSymbols();

  // Has the tables made that the batch needs and that are not there, those of most frames first.
  // Returns the keys of these modules. `files` are those that were recorded, as
  // Recorder::OpenFiles gives them.
  std::vector<std::string> Want(const std::vector<RecordedFile>& files, const model::Batch& batch);

  // Waits until the search for each of these modules has ended. Returns false at the deadline.
  bool Await(const std::vector<std::string>& keys, Time deadline) const;

  // Names frames by the tables that are there.
  void Name(model::Batch* batch);

  // The same for a request that was encoded earlier: waits for its tables until `deadline`.
  // Returns nothing when no further frame has a name.
  std::optional<std::string> NameRequest(std::string_view request, Time deadline);

  uint64_t named_count() const { return named_count_; }
  uint64_t unnamed_count() const { return unnamed_count_; }

 private:
  struct Worker;

  std::vector<std::string> WantTables(const model::Batch& batch);
  symbol::NamingResult NameLocations(model::Batch* batch);

  std::unique_ptr<Worker> worker_;
  RecordedFiles* recorded_;  // one of the symbolizer's places
  std::unique_ptr<symbol::Symbolizer> symbolizer_;
  symbol::NameCache names_{/*bytes_max=*/4 << 20};
  std::atomic<uint64_t> named_count_ = 0;
  std::atomic<uint64_t> unnamed_count_ = 0;
};

}  // namespace flarestack::record::agent
