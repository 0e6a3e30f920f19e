// SPDX-License-Identifier: Apache-2.0
//
// Files for a command-line tool: read whole with a cap, and written under a temporary name and
// renamed when complete, so that a failed run leaves nothing behind. "-" is standard input or
// output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::base {

inline constexpr std::string_view kStandardStream = "-";

// Returns kResourceExhausted if the file is larger than `bytes_max`.
absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t bytes_max);

// Collects writes. Nothing is visible under the final name before Commit().
class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // removes the temporary file unless Commit() succeeded

  absl::Status Write(std::string_view bytes);
  absl::Status Commit();

 private:
  OutputFile(int fd, std::string path, std::string temporary_path);

  int fd_;
  std::string path_;
  std::string temporary_path_;  // empty when writing in place: standard output, a pipe or a device
};

}  // namespace flarestack::base
