// SPDX-License-Identifier: Apache-2.0
//
// Finds and caches the source maps of scripts, for all processes.
//
//   SourceMaps maps;
//   maps.SetFolder("/srv/maps");                       // from --source-maps
//   auto map = maps.Find(pid, script);                 // shared while a caller holds it
//
// A map that many processes use is in memory once. Files are read as the process sees them, and
// never over the network.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/runtime/v8/source_map.h"
#include "record/runtime/v8/v8_script.h"

namespace flarestack::record::runtime {

class SourceMaps {
 public:
  struct Limits {
    size_t script_bytes_max = size_t{32} << 20;
    SourceMap::Limits map;
    size_t maps_max = 4096;                           // in use
    size_t bytes_max = size_t{256} << 20;             // of memory, of the maps in use
    uint64_t minute_bytes_max = uint64_t{256} << 20;  // of files, read within a minute
  };

  SourceMaps() : SourceMaps(Limits()) {}
  explicit SourceMaps(const Limits& limits) : limits_(limits) {}

  // A folder of this host with maps of scripts that name none themselves, or whose map is missing:
  // dist/app.js.map or app.js.map for /srv/dist/app.js.
  void SetFolder(std::string folder) { folder_ = std::move(folder); }

  // Finds the map in the script's sourceMappingURL comment, inline or in a file, or in the folder.
  // Returns kUnavailable if a later call may find it, other errors if not: kNotFound if the script
  // names no map, kInvalidArgument if the map is damaged or belongs to another text.
  absl::StatusOr<std::shared_ptr<const SourceMap>> Find(pid_t pid, const V8Script& script);

 private:
  using Clock = std::chrono::steady_clock;

  struct File {        // its identity and the version of its content
    std::string path;  // against which the map resolves its sources
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t bytes = 0;
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;

    friend bool operator==(const File&, const File&) = default;
    template <typename H>
    friend H AbslHashValue(H hash, const File& file) {
      return H::combine(std::move(hash), file.path, file.device, file.inode, file.bytes,
                        file.modified_ns, file.changed_ns);
    }
  };
  struct OpenFile;
  using MapPtr = std::shared_ptr<const SourceMap>;

  static absl::StatusOr<OpenFile> Open(pid_t pid, const std::string& path);
  static absl::StatusOr<OpenFile> OpenOnHost(const std::string& path);
  absl::StatusOr<std::string> Read(const OpenFile& open, size_t bytes_max);
  absl::StatusOr<MapPtr> FindNamed(pid_t pid, const V8Script& script);
  absl::StatusOr<MapPtr> FindInFolder(const V8Script& script);
  absl::StatusOr<MapPtr> Load(const OpenFile& open, const std::string& path);
  absl::StatusOr<MapPtr> Add(const File& file, std::string_view json);
  static absl::StatusOr<MapPtr> Fitting(absl::StatusOr<MapPtr> map, const V8Script& script);
  MapPtr Cached(const File& file) const;
  absl::Status Charge(uint64_t bytes);

  const Limits limits_;
  std::string folder_;
  absl::flat_hash_map<File, std::weak_ptr<const SourceMap>> maps_;
  Clock::time_point minute_{};  // when it began
  uint64_t minute_bytes_ = 0;
};

}  // namespace flarestack::record::runtime
