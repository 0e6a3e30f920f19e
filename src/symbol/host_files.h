// SPDX-License-Identifier: Apache-2.0
//
// Symbols from files of this host. For a module, in this order:
//
//   1. below each symbol path: DIR/.build-id/ab/cdef.debug, DIR/ab/cdef/executable and /debuginfo
//      (as servers of debuginfod keep them), then any file that has its id;
//   2. the path under which the process had it mapped, or, where profilers send the name alone, a
//      file of that name where programs and libraries usually are;
//   3. DIR/.build-id/ab/cdef.debug of the debug directories (/usr/lib/debug);
//   4. the file that .gnu_debuglink of the program names: beside it, in .debug/ beside it, and in
//      the debug directories under the path of the program;
//   5. the file that several debug files share (.gnu_debugaltlink).
//
// A file counts when its id is the wanted one, or, where it has none, its CRC is that of the link:
// a path alone says nothing, because programs are replaced while profiles stay.
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
  // Where a file is looked for of which the name alone is known. With the triplet of this machine
  // in the place of *.
  std::vector<std::string> usual_directories = {
      "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/lib/*",
      "/lib/*",   "/usr/lib",  "/usr/local/lib", "/usr/lib64",      "/opt/bin"};
  // Profiles of other hosts name paths that are something else here.
  bool may_use_mapped_path = true;
  std::string root;                            // stands before all paths but the symbol paths
  size_t files_max = 100'000;                  // looked at below the symbol paths
  uint64_t crc_bytes_max = uint64_t{2} << 30;  // of a debug file that has no id
};

class HostFiles : public SymbolSource {
 public:
  explicit HostFiles(HostFilesOptions options);

  std::string name() const override { return "files of this host"; }

  absl::StatusOr<SymbolFiles> Find(const Module& module) override;

  // The same, and what was looked at: the paths, and why they did or did not do.
  absl::StatusOr<SymbolFiles> FindWithAttempts(const Module& module,
                                               std::vector<Attempt>* attempts);

 private:
  const HostFilesOptions options_;
  FileIndex index_;
};

}  // namespace flarestack::symbol
