// SPDX-License-Identifier: Apache-2.0
//
// Runs a program: feeds its input, collects its output, and reports its exit. Also provides a
// temporary folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::testing {

struct RunOptions {
  std::string input = {};      // standard input, up to about a megabyte
  std::string directory = {};  // working directory; empty: the current one
  // Limit of the address space. No effect in a sanitized build, which reserves terabytes.
  std::optional<uint64_t> memory_bytes_max = std::nullopt;
  // The largest file it may write; a larger write causes a signal or an error.
  std::optional<uint64_t> file_bytes_max = std::nullopt;
  bool survives_file_limit = false;
  // Path of its standard output, e.g. /dev/full. `out` then stays empty.
  std::string output_path = {};
  // Send SIGKILL as soon as standard error contains this text.
  std::string kill_at = {};
};

struct RunResult {
  int exit_code = -1;    // -1 if a signal ended it
  int signal = 0;        // the signal that ended it, or 0
  std::string out;       // standard output
  std::string error;     // standard error
  uint64_t rss_max = 0;  // peak memory in bytes
};

// The first word is the path of the program.
RunResult RunProgram(const std::vector<std::string>& words, const RunOptions& options = {});

// The program under test, with these arguments.
RunResult Flarestack(const std::vector<std::string>& arguments, const RunOptions& options = {});

// A temporary folder of one test, removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_; }
  std::string File(std::string_view name) const;
  std::string Write(std::string_view name, std::string_view content) const;  // returns the path

  // Sorted names of the entries, each followed by a space.
  std::string Listing() const;

 private:
  std::string path_;
};

std::string ReadWhole(const std::string& path);

// A file of testdata/examples.
std::string Example(std::string_view name);

}  // namespace flarestack::testing
