// SPDX-License-Identifier: Apache-2.0
//
// Names for what was recorded on this host. Tables that are at hand are used at once; the others
// are made in the background and used the next time, so recording never waits for them. Frames
// without a name keep the ids of their files, and whoever receives them may know better.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/batch.h"
#include "record/agent/recorded_files.h"
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
  explicit HostSymbols(const HostSymbolsOptions& options);
  ~HostSymbols();

  // `files` are those that were recorded, as Recorder::OpenFiles gives them.
  void Name(const std::vector<RecordedFile>& files, model::Batch* batch);

  uint64_t named_count() const { return named_count_; }
  uint64_t unnamed_count() const { return unnamed_count_; }

 private:
  struct Worker;

  std::unique_ptr<Worker> worker_;
  RecordedFiles* recorded_;  // one of the symbolizer's places
  std::unique_ptr<symbol::Symbolizer> symbolizer_;
  symbol::NameCache names_;
  uint64_t named_count_ = 0;
  uint64_t unnamed_count_ = 0;
};

}  // namespace flarestack::record::agent
