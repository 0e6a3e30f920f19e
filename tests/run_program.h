// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it: bytes in, bytes out, and the way it ended. Also a folder that
// is gone after the test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::testing {

struct RunOptions {
  std::string input = {};      // what it reads from standard input, up to a megabyte or so
  std::string directory = {};  // where it runs; here if empty
  // The address space it may have. Without effect in a sanitized build, which reserves terabytes.
  std::optional<uint64_t> memory_bytes_max = std::nullopt;
  // The largest file it may write; a write beyond it is answered by a signal, or by an error.
  std::optional<uint64_t> file_bytes_max = std::nullopt;
  bool survives_file_limit = false;
  // Name of a file that becomes its standard output, e.g. /dev/full. `out` then stays empty.
  std::string output_path = {};
  // It is killed, at once and for good, as soon as its standard error has this text.
  std::string kill_at = {};
};

struct RunResult {
  int exit_code = -1;    // -1 when a signal ended it
  int signal = 0;        // that signal, or 0
  std::string out;       // standard output
  std::string error;     // standard error
  uint64_t rss_max = 0;  // the most memory it had, in bytes
};

// The words start with the program's path.
RunResult RunProgram(const std::vector<std::string>& words, const RunOptions& options = {});

// The program under test, with these arguments.
RunResult Flarestack(const std::vector<std::string>& arguments, const RunOptions& options = {});

// A folder of one test, removed with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_; }
  std::string File(std::string_view name) const;
  std::string Write(std::string_view name, std::string_view content) const;  // answers the path

  // Names of what is in it, sorted, each followed by a space.
  std::string Listing() const;

 private:
  std::string path_;
};

std::string ReadWhole(const std::string& path);

// A file of testdata/examples.
std::string Example(std::string_view name);

}  // namespace flarestack::testing
