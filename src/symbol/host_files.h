// SPDX-License-Identifier: Apache-2.0
//
// Finds symbols in files of this host. For a module, it searches in this order:
//
//   1. below each symbol path: DIR/.build-id/ab/cdef.debug, DIR/ab/cdef/executable and /debuginfo
//      (the layout of debuginfod servers), then any file with its id;
//   2. the path under which the process mapped it, or, if the profiler sent only the name, a file
//      of that name in the usual directories of programs and libraries;
//   3. DIR/.build-id/ab/cdef.debug of the debug directories (/usr/lib/debug);
//   4. the file that .gnu_debuglink of the program names: beside it, in .debug/ beside it, and in
//      the debug directories under the path of the program;
//   5. the file that several debug files share (.gnu_debugaltlink).
//
// A file is accepted if its id is the wanted one, or, if there is no id, its CRC is that of the
// link. A path alone proves nothing, because programs are replaced while profiles stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/file_index.h"
#include "symbol/symbol_source.h"

namespace flarestack::symbol {

struct HostFilesOptions {
  std::vector<std::string> symbol_paths;  // directories or files
  std::vector<std::string> debug_directories = {"/usr/lib/debug"};
  // Where to search for a file if only its name is known. * stands for the triplet of this machine.
  std::vector<std::string> usual_directories = {
      "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/lib/*",
      "/lib/*",   "/usr/lib",  "/usr/local/lib", "/usr/lib64",      "/opt/bin"};
  // Set to false for profiles of other hosts, whose paths are different files here.
  bool may_use_mapped_path = true;
  std::string root;                            // prefix of all paths except the symbol paths
  size_t files_max = 100'000;                  // scanned below the symbol paths
  uint64_t crc_bytes_max = uint64_t{2} << 30;  // for a debug file without an id
};

class HostFiles : public SymbolSource {
 public:
  explicit HostFiles(HostFilesOptions options);

  std::string name() const override { return "files of this host"; }

  absl::StatusOr<SymbolFiles> Find(const Module& module) override;

  // Like Find(), and records the paths that were tried and why each was accepted or rejected.
  absl::StatusOr<SymbolFiles> FindWithAttempts(const Module& module,
                                               std::vector<Attempt>* attempts);

 private:
  const HostFilesOptions options_;
  FileIndex index_;
};

}  // namespace flarestack::symbol
