// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/sanitized.h"

namespace flarestack::testing {
namespace {

constexpr int kCannotStart = 127;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) {
      read_end = ends[0];
      write_end = ends[1];
    }
  }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void CloseRead() { Close(&read_end); }
  void CloseWrite() { Close(&write_end); }

 private:
  static void Close(int* fd) {
    if (*fd >= 0)
      close(*fd);
    *fd = -1;
  }
};

struct Streams {
  Pipe in;
  Pipe out;
  Pipe error;
};

// Runs in the child after fork: only async-signal-safe calls.
[[noreturn]] void StartProgram(char* const* words, const RunOptions& options,
                               const Streams& streams) {
  dup2(streams.in.read_end, STDIN_FILENO);
  dup2(streams.error.write_end, STDERR_FILENO);
  if (options.output_path.empty()) {
    dup2(streams.out.write_end, STDOUT_FILENO);
  } else {
    const int fd = open(options.output_path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      _exit(kCannotStart);
    dup2(fd, STDOUT_FILENO);
  }
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0)
    _exit(kCannotStart);
  if (options.memory_bytes_max.has_value() && !base::kIsSanitized) {
    const rlimit limit = {.rlim_cur = *options.memory_bytes_max,
                          .rlim_max = *options.memory_bytes_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (options.file_bytes_max.has_value()) {
    const rlimit limit = {.rlim_cur = *options.file_bytes_max, .rlim_max = *options.file_bytes_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, options.survives_file_limit ? SIG_IGN : SIG_DFL);
  }
  const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  execv(words[0], words);
  _exit(kCannotStart);
}

// Feeds and drains all three streams at once, to avoid a deadlock.
void Exchange(const RunOptions& options, pid_t child, Streams* streams, RunResult* result) {
  Pipe* const in = &streams->in;
  Pipe* const out = &streams->out;
  Pipe* const error = &streams->error;
  std::string_view input = options.input;
  fcntl(in->write_end, F_SETFL, O_NONBLOCK);
  if (input.empty())
    in->CloseWrite();
  const auto drain = [](int fd, std::string* text) {
    char buffer[1 << 16];
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got > 0)
      text->append(buffer, static_cast<size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  };
  while (out->read_end >= 0 || error->read_end >= 0) {
    pollfd watched[] = {
        {in->write_end, POLLOUT, 0}, {out->read_end, POLLIN, 0}, {error->read_end, POLLIN, 0}};
    if (poll(watched, std::size(watched), -1) < 0 && errno != EINTR)
      return;
    if (in->write_end >= 0 && watched[0].revents != 0) {
      const ssize_t put = write(in->write_end, input.data(), input.size());
      if (put > 0)
        input.remove_prefix(static_cast<size_t>(put));
      if (input.empty() || (put < 0 && errno != EAGAIN && errno != EINTR))
        in->CloseWrite();
    }
    if (out->read_end >= 0 && watched[1].revents != 0 && !drain(out->read_end, &result->out))
      out->CloseRead();
    if (error->read_end >= 0 && watched[2].revents != 0 && !drain(error->read_end, &result->error))
      error->CloseRead();
    if (!options.kill_at.empty() && result->error.find(options.kill_at) != std::string::npos)
      kill(child, SIGKILL);
  }
}

}  // namespace

RunResult RunProgram(const std::vector<std::string>& words, const RunOptions& options) {
  signal(SIGPIPE, SIG_IGN);  // a program may end before it has read its input
  std::vector<char*> argv;
  std::vector<std::string> copies = words;
  for (std::string& word : copies)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  RunResult result;
  Streams streams;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    StartProgram(argv.data(), options, streams);
  }
  if (child < 0) {
    ADD_FAILURE() << "fork: " << std::strerror(errno);
    return result;
  }
  streams.in.CloseRead();
  streams.out.CloseWrite();
  streams.error.CloseWrite();
  Exchange(options, child, &streams, &result);
  int status = 0;
  rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.rss_max = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status))
    result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  EXPECT_NE(result.exit_code, kCannotStart) << "cannot start " << words[0];
  return result;
}

RunResult Flarestack(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> words = {FLARESTACK_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunProgram(words, options);
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "flarestack-test-XXXXXX").string();
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_ << ": " << std::strerror(errno);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::File(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::string TemporaryFolder::Write(std::string_view name, std::string_view content) const {
  std::ofstream(File(name), std::ios::binary) << content;
  return File(name);
}

std::string TemporaryFolder::Listing() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names)
    text += name + " ";
  return text;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Example(std::string_view name) {
  return std::string(FLARESTACK_TESTDATA) + "/examples/" + std::string(name);
}

}  // namespace flarestack::testing
