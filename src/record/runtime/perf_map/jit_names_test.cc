// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/jit_names.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file/file.h"
#include "base/text/text.h"
#include "elf/jit/perf_map.h"
#include "elf/testing/jitdump_builder.h"
#include "record/process/proc/process_list.h"
#include "record/process/proc/process_maps.h"
#include "record/runtime/perf_map/code_file_owner.h"

namespace flarestack::record::runtime {
namespace {

using elf::testing::JitDumpBuilder;

constexpr size_t kPageBytes = 4096;

// A child process with two pipes: it writes a line when it is ready, and waits for one to go on.
class Child {
 public:
  explicit Child(const std::function<void(int input, int output)>& run) {
    int to_child[2];
    int from_child[2];
    EXPECT_TRUE(pipe2(to_child, O_CLOEXEC) == 0 && pipe2(from_child, O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      run(to_child[0], from_child[1]);
      _exit(0);
    }
    close(to_child[0]);
    close(from_child[1]);
    input_ = to_child[1];
    output_ = from_child[0];
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(input_);
    close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns an empty string if the child has exited.
  std::string ReadLine() const {
    std::string line;
    for (char c = 0; read(output_, &c, 1) == 1 && c != '\n';)
      line += c;
    return line;
  }
  void GoOn() const { EXPECT_EQ(write(input_, "\n", 1), 1); }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
  int output_ = -1;
};

class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "jit_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void Say(int output, const std::string& line) {
  if (write(output, (line + "\n").data(), line.size() + 1) < 0)
    _exit(1);
}

void WaitFor(int input) {
  char c = 0;
  if (read(input, &c, 1) != 1)
    _exit(1);
}

// Returns "type name file:start_line line", each as far as known.
std::string Describe(const std::optional<NamedFrame>& frame) {
  if (!frame.has_value())
    return "-";
  const NamedFunction& function = frame->functions.at(0);
  return base::StrCat(frame->type, " ", function.name, " ", function.file, ":", function.start_line,
                      " ", function.line);
}

// Looks up with a clock that runs ahead, so that no read is postponed.
class Lookup {
 public:
  explicit Lookup(pid_t pid) : names_(pid, agent::StartTime(pid).value_or(0)) {}
  std::string operator()(uint64_t address, uint64_t time_ns) {
    ahead_ += std::chrono::minutes(2);
    return Describe(names_.Find(
        {.address = address, .time_ns = time_ns, .now = JitNames::Time::clock::now() + ahead_}));
  }
  std::string operator()(uint64_t address) { return (*this)(address, UINT64_MAX); }

 private:
  JitNames names_;
  std::chrono::minutes ahead_{0};
};

std::string PerfMapPath(pid_t pid) {
  const auto owner = ReadOwner(pid);
  return owner.ok() ? base::StrCat("/tmp/perf-", owner->pid_inside, ".map") : "";
}

void AppendTo(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

// Makes code and writes a perf map, like a JIT compiler; replaces the code on request.
void CompileTwice(int input, int output) {
  void* const code = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    return;
  std::memset(code, 0x90, kPageBytes);
  const auto address = reinterpret_cast<uint64_t>(code);
  const std::string path = PerfMapPath(getpid());
  AppendTo(path, fmt::format("{:x} 40 JS:~add /srv/cart.js:3:1\n{:x} 40 stub\n", address,
                             address + 0x40));
  Say(output, base::StrCat(address));
  WaitFor(input);
  AppendTo(path, fmt::format("{:x} 40 JS:*total /srv/cart.js:9:1\n", address));
  Say(output, "replaced");
  WaitFor(input);
}

TEST(JitNamesTest, NamesCodeThatIsReplacedWhileTheProgramRuns) {
  const Child child(CompileTwice);
  const std::string line = child.ReadLine();
  if (line.empty())
    GTEST_SKIP() << "memory cannot be writable and executable here";
  const std::string path = PerfMapPath(child.pid());
  const uint64_t address = std::stoull(line);
  Lookup name(child.pid());
  EXPECT_EQ(name(address), "v8js add /srv/cart.js:3 0");
  EXPECT_EQ(name(address + 0x7f), "native stub :0 0");
  EXPECT_EQ(name(address + 0x80), "-");
  child.GoOn();
  EXPECT_EQ(child.ReadLine(), "replaced");
  EXPECT_EQ(name(address + 0x3f), "v8js total /srv/cart.js:9 0");
  EXPECT_EQ(name(address + 0x40), "native stub :0 0");
  std::filesystem::remove(path);
  EXPECT_EQ(name(address), "-") << "the file is gone";
}

TEST(JitNamesTest, ReadsAtMostSoOften) {
  const std::string path = PerfMapPath(getpid());
  std::filesystem::remove(path);
  JitNames names(getpid(), agent::StartTime(getpid()).value_or(0));
  const auto start = JitNames::Time::clock::now();
  const auto at = [&](int ms) {
    return Describe(names.Find(
        {.address = 0x1000, .time_ns = UINT64_MAX, .now = start + std::chrono::milliseconds(ms)}));
  };
  AppendTo(path, "1000 10 f\n");
  EXPECT_EQ(at(0), "native f :0 0");
  AppendTo(path, "1000 10 g\n");
  EXPECT_EQ(at(49), "native f :0 0");
  EXPECT_EQ(at(50), "native g :0 0");
  std::filesystem::remove(path);
  EXPECT_EQ(at(100), "-");
  AppendTo(path, "1000 10 h\n");
  EXPECT_EQ(at(199), "-") << "looks for a missing file less often";
  EXPECT_EQ(at(249), "native h :0 0");
  std::filesystem::remove(path);
}

TEST(JitNamesTest, PrefersTheJitDumpWithItsLinesAndTimes) {
  const Folder folder;
  const Child child([&](int input, int output) {
    const auto owner = ReadOwner(getpid());
    const std::string path =
        base::StrCat(folder.path(), "/jit-", owner.ok() ? owner->pid_inside : 0, ".dump");
    JitDumpBuilder dump(static_cast<uint32_t>(owner.ok() ? owner->pid_inside : 0));
    dump.DebugInfo(0x1000, {{.address = 0x1000, .line = 3, .file = "/srv/cart.js"},
                            {.address = 0x1008, .line = 4, .file = "/srv/cart.js"}});
    dump.Load(1000, 0x1000, 0x10, 1, "JS:*add /srv/cart.js:2:1");
    AppendTo(path, dump.bytes());
    AppendTo(PerfMapPath(getpid()), "1000 10 by the map\n2000 10 only in the map\n");
    const int file = open(path.c_str(), O_RDONLY);
    if (mmap(nullptr, kPageBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
      return;
    Say(output, "ready");
    WaitFor(input);
    const size_t bytes_before = dump.bytes().size();
    dump.Load(2000, 0x1000, 0x10, 2, "JS:*total /srv/cart.js:9:1");
    AppendTo(path, dump.bytes().substr(bytes_before));
    Say(output, "replaced");
    WaitFor(input);
  });
  if (child.ReadLine().empty())
    GTEST_SKIP() << folder.path() << " is on a file system that is mounted noexec";
  const std::string map_path = PerfMapPath(child.pid());
  Lookup name(child.pid());
  EXPECT_EQ(name(0x1004), "v8js add /srv/cart.js:2 3");
  EXPECT_EQ(name(0x1008), "v8js add /srv/cart.js:2 4");
  EXPECT_EQ(name(0x2000), "native only in the map :0 0");
  child.GoOn();
  EXPECT_EQ(child.ReadLine(), "replaced");
  EXPECT_EQ(name(0x1004), "v8js total /srv/cart.js:9 0");
  EXPECT_EQ(name(0x1004, 1999), "v8js add /srv/cart.js:2 3") << "when the sample was taken";
  std::filesystem::remove(map_path);
}

std::string FindNode() {
  for (const char* path : {"/usr/bin/node", "/usr/local/bin/node", "/usr/bin/nodejs"}) {
    if (access(path, X_OK) == 0)
      return path;
  }
  return {};
}

constexpr std::string_view kNodeProgram = R"(
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
let total = 0;
for (let i = 0; i < 3000; i++) total += hot(1000);
console.log('ready');
process.stdin.on('data', () => { total += hot(1); });
)";

// Runs node with an option that makes it write names, in `folder`.
std::function<void(int, int)> RunNode(const Folder& folder, const char* option) {
  std::ofstream(folder.path() + "/hot.js") << kNodeProgram;
  return [&folder, option](int input, int output) {
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    const std::string node = FindNode();
    if (chdir(folder.path().c_str()) == 0)
      execl(node.c_str(), "node", option, "hot.js", nullptr);
    _exit(127);
  };
}

TEST(JitNamesTest, NamesFunctionsOfNode) {
  if (FindNode().empty())
    GTEST_SKIP() << "node is not installed";
  const Folder folder;
  const Child child(RunNode(folder, "--perf-basic-prof"));
  ASSERT_EQ(child.ReadLine(), "ready");
  const std::string path = PerfMapPath(child.pid());
  const auto text = base::ReadFile(path, 64 << 20);
  std::filesystem::remove(folder.path() + "/hot.js");
  ASSERT_TRUE(text.ok()) << text.status();
  elf::PerfMap map;
  map.Append(*text);
  Lookup name(child.pid());
  int count = 0;
  for (const auto& [begin, range] : map.ranges()) {
    if (range.name.find("hot ") == std::string::npos)
      continue;
    ++count;
    EXPECT_EQ(name(begin), base::StrCat("v8js hot ", folder.path(), "/hot.js:2 0")) << range.name;
  }
  EXPECT_GT(count, 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace flarestack::record::runtime
