// SPDX-License-Identifier: Apache-2.0
//
// Runs a script in every CPython of this machine, walks its threads with the steps of BPF, and
// compares with the stack that the script reports itself.
#include "record/runtime/python/python_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "elf/loaded_image.h"
#include "elf/testing/compiled_program.h"
#include "record/process/proc/process_maps.h"
#include "record/runtime/python/python_names.h"
#include "record/runtime/python/python_walk.h"

namespace flarestack::record::runtime {
namespace {

// Each thread writes its own stack, and waits for the end of the input in the same line.
constexpr std::string_view kScript = R"(# -*- coding: utf-8 -*-
import asyncio, functools, os, sys, threading

def stack(frame):
    text = 'thread %d\n' % threading.get_ident()
    while frame:
        code = frame.f_code
        text += '%d\t%d\t%s\t%s\n' % (frame.f_lineno, code.co_firstlineno,
                                      frame.f_globals['__name__'],
                                      getattr(code, 'co_qualname', code.co_name))
        frame = frame.f_back
    return (text + 'end\n').encode('utf-8')

def block():
    os.write(1, stack(sys._getframe())), os.read(0, 1)

class Shop:
    def checkout(self):
        return list(
            self.items())

    def items(self):
        yield functools.reduce(self.add, [1, 2])

    def add(self, a, b):
        block()

def größe():
    Shop().checkout()

def 价格():
    größe()

def 𝑥():
    价格()

class Cart:
    def __init__(self, is_deep):
        if is_deep:
            𝑥()

def main():
    for is_deep in [False] * 200 + [True]:
        Cart(is_deep)

class Worker(threading.Thread):
    def run(self):
        (lambda: sorted([2, 1], key=lambda item: block()))()

async def inner():
    await asyncio.sleep(0)
    block()

async def outer():
    await inner()

for thread in [Worker(), threading.Thread(target=lambda: asyncio.run(outer()))]:
    thread.daemon = True
    thread.start()
main()
)";

struct ReportedFrame {
  int64_t line = 0;
  int64_t start_line = 0;
  std::string name;

  friend bool operator==(const ReportedFrame&, const ReportedFrame&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ReportedFrame& frame) {
    return out << frame.name << ":" << frame.line << " (" << frame.start_line << ")";
  }
};

using ReportedStacks = std::map<uint64_t, std::vector<ReportedFrame>>;  // by pthread_self()

class RunningScript {
 public:
  RunningScript(const std::string& python, const std::string& script, size_t thread_count) {
    int input[2];
    int output[2];
    EXPECT_EQ(pipe(input), 0);
    EXPECT_EQ(pipe(output), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      for (const int fd : {input[0], input[1], output[0], output[1]})
        close(fd);
      execl(python.c_str(), python.c_str(), "-S", script.c_str(), nullptr);
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    ReadStacks(output[0], thread_count);
  }
  ~RunningScript() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(input_);
  }
  RunningScript(const RunningScript&) = delete;
  RunningScript& operator=(const RunningScript&) = delete;

  pid_t pid() const { return pid_; }
  const ReportedStacks& stacks() const { return stacks_; }

 private:
  void ReadStacks(int fd, size_t thread_count) {
    FILE* const file = fdopen(fd, "r");
    char buffer[4096];
    uint64_t thread = 0;
    size_t ended = 0;
    while (ended < thread_count && fgets(buffer, sizeof(buffer), file) != nullptr) {
      std::istringstream line(buffer);
      if (std::string_view(buffer).starts_with("thread ")) {
        line.ignore(7) >> thread;
      } else if (std::string_view(buffer).starts_with("end")) {
        ++ended;
      } else {
        ReportedFrame frame;
        std::string module;
        std::string name;
        line >> frame.line >> frame.start_line >> module >> name;
        frame.name = (module == "__main__" ? "shop" : module) + "." + name;
        stacks_[thread].push_back(frame);
      }
    }
    fclose(file);
  }

  pid_t pid_ = -1;
  int input_ = -1;
  ReportedStacks stacks_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

struct FoundPython {
  PythonFile file;
  uint64_t bias = 0;
};

// Looks at all files that the process has mapped, as the recorder does.
absl::StatusOr<FoundPython> FindPython(pid_t pid, agent::MemoryReader read) {
  const auto mappings = agent::ReadMaps(pid, agent::MapsChoice::kAll);
  if (!mappings.ok())
    return mappings.status();
  for (const agent::ProcessMapping& mapping : *mappings) {
    if (mapping.kind != agent::MappingKind::kFile || mapping.file_offset != 0)
      continue;
    const std::string bytes = ReadFile(mapping.path);
    const auto elf_file = elf::ElfFile::Parse(bytes);
    if (!elf_file.ok())
      continue;
    auto python = ReadPythonFile(*elf_file);
    if (absl::IsNotFound(python.status()))
      continue;
    if (!python.ok())
      return python.status();
    const auto image = elf::LoadedImage::Read(read, mapping.start);
    if (!image.ok())
      return image.status();
    return FoundPython{.file = *std::move(python), .bias = image->bias()};
  }
  return absl::NotFoundError("no CPython is mapped");
}

// Without duplicates: a name may be a link to another. Shims that start another program are
// scripts.
std::vector<std::string> Pythons() {
  std::vector<std::string> folders;
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    folders.push_back(folder);
  std::error_code error;
  if (const char* const home = std::getenv("HOME"); home != nullptr) {
    for (const auto& version :
         std::filesystem::directory_iterator(std::string(home) + "/.pyenv/versions", error))
      folders.push_back(version.path().string() + "/bin");
  }
  std::set<std::string> found;
  for (const std::string& folder : folders) {
    for (int minor = kPythonMinorFirst; minor <= kPythonMinorLast; ++minor) {
      for (const char* const suffix : {"", "t"}) {
        const auto file = std::filesystem::canonical(
            folder + "/python3." + std::to_string(minor) + suffix, error);
        if (!error && ReadFile(file.string())
                          .starts_with("\x7f"
                                       "ELF"))
          found.insert(file.string());
      }
    }
  }
  return {found.begin(), found.end()};
}

struct WalkedFrame {
  ReportedFrame frame;
  bool is_entry = false;
};

// Frames that are skipped make the frame before them an entry, as consumers of the walk have it.
std::vector<WalkedFrame> Walk(const PythonProcess& process, uint64_t thread_id,
                              agent::MemoryReader read) {
  std::vector<WalkedFrame> walked;
  PythonNames names;
  const uint64_t thread_pointer = thread_id + static_cast<uint64_t>(process.thread_pointer_offset);
  const auto frames = WalkPython(process.kernel_side, thread_pointer, read, 128);
  EXPECT_TRUE(frames.ok()) << frames.status();
  if (!frames.ok())
    return walked;
  for (const bpf::python_frame& frame : *frames) {
    if (frame.is_skipped != 0) {
      if (!walked.empty())
        walked.back().is_entry = true;
      continue;
    }
    EXPECT_NE(frame.cookie, 0u);
    const auto named = names.Name(
        process, {.code = frame.code, .instruction = frame.instruction, .cookie = frame.cookie},
        read);
    EXPECT_TRUE(named.ok()) << named.status();
    if (!named.ok() || named->functions.empty())
      continue;
    const NamedFunction& function = named->functions.front();
    walked.push_back(
        {.frame = {.line = function.line, .start_line = function.start_line, .name = function.name},
         .is_entry = frame.is_entry != 0});
  }
  return walked;
}

// Which functions of the main thread are called from C, in versions that do not give each Python
// frame a native one. Cart.__init__ depends on what the interpreter specializes.
const std::map<std::string, bool> kIsEntry = {
    {"shop.block", false},         {"shop.Shop.add", true}, {"shop.Shop.items", true},
    {"shop.Shop.checkout", false}, {"shop.größe", false},   {"shop.main", false},
    {"shop.<module>", true},
};

void ExpectSameStacks(const RunningScript& script, const PythonProcess& process,
                      agent::MemoryReader read) {
  const int minor = process.layout.frames.minor;
  size_t entries_checked = 0;
  for (const auto& [thread_id, reported] : script.stacks()) {
    const std::vector<WalkedFrame> walked = Walk(process, thread_id, read);
    std::vector<ReportedFrame> frames;
    for (const WalkedFrame& frame : walked) {
      frames.push_back(frame.frame);
      const auto entry = kIsEntry.find(frame.frame.name);
      if (minor <= 10) {
        EXPECT_TRUE(frame.is_entry) << frame.frame;
      } else if (entry != kIsEntry.end() && frames.front() == reported.front() &&
                 reported.back().name == "shop.<module>") {
        EXPECT_EQ(frame.is_entry, entry->second) << frame.frame;
        ++entries_checked;
      }
    }
    EXPECT_EQ(frames, reported) << "thread " << thread_id;
  }
  EXPECT_EQ(entries_checked, minor <= 10 ? 0 : kIsEntry.size());
}

class PythonProcessTest : public ::testing::Test {
 protected:
  void Check(const std::string& python) {
    SCOPED_TRACE(python);
    const RunningScript script(python, script_, /*thread_count=*/3);
    if (script.stacks().empty()) {
      std::printf("%s does not run scripts\n", python.c_str());
      return;
    }
    ASSERT_EQ(script.stacks().size(), 3u);
    const auto read = [&](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(script.pid(), address, out);
    };
    const auto found = FindPython(script.pid(), read);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_NE(found->file.loops.size(), 0u);
    const auto process = AttachPython(found->file, found->bias, script.pid(), read);
    ASSERT_TRUE(process.ok()) << process.status();
    std::printf("%s: 3.%d, state at %d level(s), %d\n", python.c_str(), found->file.minor,
                process->kernel_side.state_levels, process->kernel_side.state_offsets[0]);
    EXPECT_EQ(process->kernel_side.state_levels, 0);
    ExpectSameStacks(script, *process, read);
    ++checked_;
  }

  elf::testing::WorkFolder folder_;
  std::string script_ = folder_.Write("shop.py", kScript);
  int checked_ = 0;
};

TEST_F(PythonProcessTest, WalksTheThreadsOfEachVersion) {
  for (const std::string& python : Pythons())
    Check(python);
  if (checked_ == 0)
    GTEST_SKIP() << "needs CPython 3.8 or later";
}

TEST_F(PythonProcessTest, NamesAreReadOnceAndCheckedByTheirCookie) {
  const std::vector<std::string> pythons = Pythons();
  if (pythons.empty())
    GTEST_SKIP() << "needs CPython 3.8 or later";
  const RunningScript script(pythons.front(), script_, /*thread_count=*/3);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return agent::ReadMemory(script.pid(), address, out);
  };
  const auto found = FindPython(script.pid(), read);
  ASSERT_TRUE(found.ok()) << found.status();
  const auto process = AttachPython(found->file, found->bias, script.pid(), read);
  ASSERT_TRUE(process.ok()) << process.status();
  const uint64_t thread_pointer =
      script.stacks().begin()->first + static_cast<uint64_t>(process->thread_pointer_offset);
  const auto frames = WalkPython(process->kernel_side, thread_pointer, read, 128);
  ASSERT_TRUE(frames.ok() && !frames->empty());
  PythonNames::RawFrame frame = {.code = frames->front().code,
                                 .instruction = frames->front().instruction,
                                 .cookie = frames->front().cookie};
  PythonNames names;
  const auto first = names.Name(*process, frame, read);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto unreadable = [](uint64_t, std::span<char>) { return absl::NotFoundError("gone"); };
  const auto again = names.Name(*process, frame, unreadable);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *first);
  frame.cookie ^= 2;
  EXPECT_TRUE(absl::IsDataLoss(names.Name(*process, frame, read).status()));
  frame.cookie = 0;
  EXPECT_TRUE(names.Name(*process, frame, read).ok());
  frame.code = process->code_type;  // an object, but not a code object
  EXPECT_TRUE(absl::IsNotFound(names.Name(*process, frame, read).status()));
  PythonNames small(/*bytes_max=*/1);
  EXPECT_TRUE(small.Name(*process, {.code = frames->front().code}, read).ok());
}

}  // namespace
}  // namespace flarestack::record::runtime
