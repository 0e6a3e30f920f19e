// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/testing/java_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/file/mapped_file.h"
#include "base/status.h"
#include "base/testing/eventually.h"
#include "elf/elf_file.h"
#include "record/process/proc/process_maps.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_file.h"

namespace flarestack::record::runtime::testing {
namespace {

namespace fs = std::filesystem;

std::string FirstLine(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

[[noreturn]] void Execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::vector<std::string> FindJdks() {
  std::vector<fs::path> candidates;
  const bool wants_all = std::getenv("FLARESTACK_ALL_JDKS") != nullptr;
  if (const char* const home = std::getenv("JAVA_HOME"); home != nullptr)
    candidates.emplace_back(home);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib/jvm", error))
    candidates.push_back(entry.path());
  std::set<std::string> found;
  for (const fs::path& candidate : candidates) {
    const fs::path jdk = fs::canonical(candidate, error);
    if (!error && fs::exists(jdk / "bin/java") && fs::exists(jdk / "bin/javac") &&
        (fs::exists(jdk / "lib/server/libjvm.so") || fs::exists(jdk / "jre"))) {
      found.insert(jdk.string());
    }
    if (!found.empty() && !wants_all)
      break;
  }
  return {found.begin(), found.end()};
}

bool CompileJava(const std::string& jdk, const std::string& folder, const std::string& name,
                 std::string_view source) {
  const std::string file = folder + "/" + name + ".java";
  std::ofstream(file) << source;
  const pid_t child = fork();
  if (child == 0)
    Execute({jdk + "/bin/javac", "-d", folder, "-g:source,lines", file});
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

JavaProgram::JavaProgram(const std::string& jdk, std::vector<std::string> arguments) {
  std::array<int, 2> input = {};
  std::array<int, 2> output = {};
  if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0)
    return;
  const base::Descriptor input_end(input[0]);
  const base::Descriptor output_end(output[1]);
  input_ = base::Descriptor(input[1]);
  output_ = base::Descriptor(output[0]);
  arguments.insert(arguments.begin(), jdk + "/bin/java");
  pid_ = fork();
  if (pid_ == 0) {
    if (dup2(input[0], STDIN_FILENO) >= 0 && dup2(output[1], STDOUT_FILENO) >= 0)
      Execute(arguments);
    _exit(127);
  }
}

JavaProgram::~JavaProgram() {
  if (pid_ <= 0)
    return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<std::string> JavaProgram::ReadLine() {
  for (;;) {
    if (const size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> buffer;
    const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
    if (got <= 0)
      return std::nullopt;
    unread_.append(buffer.data(), static_cast<size_t>(got));
  }
}

pid_t JavaProgram::MainThread() const {
  std::error_code error;
  pid_t main = 0;
  for (const auto& task :
       fs::directory_iterator("/proc/" + std::to_string(pid_) + "/task", error)) {
    const pid_t tid = std::atoi(task.path().filename().c_str());
    if (tid != pid_ && FirstLine(task.path() / "comm") == "java" && (main == 0 || tid < main))
      main = tid;
  }
  return main;
}

bool JavaProgram::WaitForRead() const {
  const pid_t tid = MainThread();
#if defined(__x86_64__)
  const std::string number = "0 0x0 ";  // read(0, ...)
#else
  const std::string number = "63 0x0 ";
#endif
  const std::string path =
      "/proc/" + std::to_string(pid_) + "/task/" + std::to_string(tid) + "/syscall";
  return base::testing::Eventually([&] { return FirstLine(path).rfind(number, 0) == 0; });
}

absl::StatusOr<JavaProcess> JavaProgram::Attach() const {
  FLARE_ASSIGN(const auto mappings, agent::ReadMaps(pid_, agent::MapsChoice::kAll));
  const auto library =
      std::find_if(mappings.begin(), mappings.end(), [](const agent::ProcessMapping& mapping) {
        return mapping.file_offset == 0 && mapping.path.find("/libjvm.so") != std::string::npos;
      });
  if (library == mappings.end())
    return absl::UnavailableError("the program has not loaded HotSpot yet");
  FLARE_ASSIGN(const base::MappedFile file, base::MappedFile::Open(library->path));
  FLARE_ASSIGN(const elf::ElfFile parsed, elf::ElfFile::Parse(file.bytes()));
  FLARE_ASSIGN(const VmTables tables, ReadJavaFile(parsed));
  const auto read = [this](uint64_t address, std::span<char> out) {
    return agent::ReadMemory(pid_, address, out);
  };
  return AttachJava(read, tables, library->start);
}

}  // namespace flarestack::record::runtime::testing
