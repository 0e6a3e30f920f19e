// SPDX-License-Identifier: Apache-2.0
//
// Walks and names the stacks of Java programs that run on this machine's JDKs, and compares them
// with what the programs say themselves.
#include "record/runtime/java/java_walk.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_names.h"
#include "record/runtime/java/testing/java_program.h"
#include "record/runtime/java/testing/java_stack.h"

namespace flarestack::record::runtime {
namespace {

using testing::JavaProgram;
using testing::JavaStack;

constexpr std::string_view kSource = R"(import java.util.*;
public class Stacks {
  interface Task { int run(int depth) throws Exception; }
  static volatile long sink;
  static int inner(int depth) throws Exception {
    for (StackTraceElement e : Thread.currentThread().getStackTrace()) {
      if (e.getClassName().startsWith("Stacks"))
        System.out.println(e.getClassName() + "." + e.getMethodName() + ":" + e.getLineNumber());
    }
    System.out.println("end");
    return System.in.read();
  }
  static int recurse(int depth, Task task) throws Exception {
    return depth == 0
        ? task.run(depth)
        : recurse(depth - 1, task);
  }
  static int outer() throws Exception {
    Task task = depth ->
        inner(depth + 1);
    return recurse(3, task);
  }
  static long leaf(long x) {
    for (int i = 0; i < 40; i++) x = x * 31 + (x >> 7);
    return x;
  }
  static long middle(long x) {
    return leaf(x)
        + leaf(x + 1);
  }
  static long top(long x) {
    long sum = 0;
    for (int i = 0; i < 50; i++)
      sum += middle(x + i);
    return sum;
  }
  static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  static long strings(int n) {
    StringBuilder b = new StringBuilder();
    for (int i = 0; i < n; i++) b.append(i).append(',');
    return b.toString().split(",").length;
  }
  static long collections(int n) {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < n; i++) counts.merge("key" + i % 50, 1, Integer::sum);
    List<String> keys = new ArrayList<>(counts.keySet());
    keys.sort(Comparator.reverseOrder());
    return keys.stream().mapToInt(String::length).sum();
  }
  static long exceptions(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
      try { sum += Integer.parseInt(i % 2 == 0 ? "x" : "1"); } catch (NumberFormatException e) { sum++; }
    }
    return sum;
  }
  static double numbers(int n) {
    double sum = 0;
    for (int i = 1; i < n; i++) sum += Math.sin(i) * Math.log(i) + Math.pow(i, 0.3);
    return sum;
  }
  static void work() {
    for (int i = 0; i < 20; i++) sink += top(i);
    sink += fib(15) + strings(200) + collections(300) + exceptions(20) + (long) numbers(100);
  }
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("wait"))
      outer();
    for (int i = 0; i < Integer.parseInt(arguments[1]); i++) work();
    System.out.println("ready");
    for (;;) work();
  }
}
)";

// The number of the line of the source that contains the text.
int64_t LineOf(std::string_view text) {
  const auto end = kSource.begin() + static_cast<ptrdiff_t>(kSource.find(text));
  return 1 + std::count(kSource.begin(), end, '\n');
}

class JavaWalkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    jdks_ = testing::FindJdks();
    if (jdks_.empty())
      GTEST_SKIP() << "no JDK in $JAVA_HOME or /usr/lib/jvm";
    folder_ = (std::filesystem::temp_directory_path() / base::StrCat("java_walk_test.", getpid()))
                  .string();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty())
      std::filesystem::remove_all(folder_);
  }

  // Compiles the program with this JDK: older ones do not run classes of newer ones.
  bool Compile(const std::string& jdk) {
    return testing::CompileJava(jdk, folder_, "Stacks", kSource);
  }

  std::vector<std::string> Command(std::vector<std::string> flags, const std::string& what,
                                   const std::string& rounds) const {
    flags.insert(flags.end(), {"-Xmx64m", "-cp", folder_, "Stacks", what, rounds});
    return flags;
  }

  std::vector<std::string> jdks_;
  std::string folder_;
};

// A program with everything that is needed to look at its main thread.
class Watched {
 public:
  Watched(const std::string& jdk, std::vector<std::string> command)
      : program(jdk, std::move(command)) {}

  absl::Status Attach() {
    FLARE_ASSIGN(process, program.Attach());
    return absl::OkStatus();
  }
  absl::StatusOr<NamedFrame> Name(const testing::JavaStackFrame& frame) {
    const auto read = [this](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(program.pid(), address, out);
    };
    return names.Name(read, frame.words);
  }
  JavaStack Walk(const testing::StoppedThread& thread) {
    return testing::WalkJavaStack(process.frames, thread.Registers(), memory, rules);
  }

  JavaProgram program;
  JavaProcess process;
  JavaNames names{process};
  testing::OtherMemory memory{program.pid()};
  testing::OtherRules rules{program.pid()};
};

std::vector<std::string> ReadPrinted(JavaProgram& program) {
  std::vector<std::string> printed;
  for (auto line = program.ReadLine(); line.has_value() && *line != "end";
       line = program.ReadLine())
    printed.push_back(*line);
  return printed;
}

TEST_F(JavaWalkTest, StackOfABlockedThreadEqualsTheOneItPrinted) {
  const std::vector<std::vector<std::string>> modes = {
      {"-Xint"},
      {"-XX:+UseSerialGC", "-XX:-SegmentedCodeCache"},
      {"-Xcomp", "-XX:TieredStopAtLevel=1"}};
  for (const std::string& jdk : jdks_) {
    ASSERT_TRUE(Compile(jdk)) << jdk;
    for (const auto& mode : modes) {
      SCOPED_TRACE(jdk + " " + mode.front());
      Watched watched(jdk, Command(mode, "wait", "0"));
      const std::vector<std::string> printed = ReadPrinted(watched.program);
      ASSERT_GT(printed.size(), 5u);
      ASSERT_TRUE(watched.program.WaitForRead());
      ASSERT_TRUE(watched.Attach().ok());
      const testing::StoppedThread thread(watched.program.MainThread());
      if (!thread.is_stopped())
        GTEST_SKIP() << "not permitted to trace";
      const JavaStack stack = watched.Walk(thread);
      EXPECT_EQ(stack.end, bpf::UNWIND_COMPLETE);
      std::vector<std::string> found;
      for (const auto& frame : stack.frames) {
        if (!frame.is_java)
          continue;
        const auto named = watched.Name(frame);
        ASSERT_TRUE(named.ok()) << named.status().ToString();
        EXPECT_EQ(named->type, "jvm");
        for (const NamedFunction& function : named->functions) {
          if (function.name.rfind("Stacks.", 0) != 0)
            continue;  // lambdas have a class that stack traces hide
          EXPECT_EQ(function.file, "Stacks.java");
          found.push_back(base::StrCat(function.name, ":", function.line));
        }
      }
      // The innermost has moved on to its read.
      std::vector<std::string> expected = printed;
      expected[0] = base::StrCat("Stacks.inner:", LineOf("System.in.read"));
      EXPECT_EQ(found, expected);
    }
  }
}

struct Counts {
  int samples = 0;
  int complete = 0;  // to main and beyond, to the start of the thread
  int frames = 0;
  int named = 0;
  int inlined = 0;  // middle in top, with the right lines
  std::string failures;
};

void Count(Watched& watched, const JavaStack& stack, Counts* counts) {
  bool has_main = false;
  for (const auto& frame : stack.frames) {
    if (!frame.is_java)
      continue;
    ++counts->frames;
    const auto named = watched.Name(frame);
    if (!named.ok()) {
      base::StrAppend(&counts->failures, base::Hex(frame.pc), ": ", base::Message(named.status()),
                      "\n");
      continue;
    }
    ++counts->named;
    const auto& functions = named->functions;
    has_main = has_main || functions.back().name == "Stacks.main";
    if (functions.size() == 2 && functions[0].name == "Stacks.middle" &&
        functions[1].name == "Stacks.top") {
      const int64_t line = functions[0].line;
      EXPECT_TRUE(line == LineOf("return leaf(x)") || line == LineOf("+ leaf(x + 1)")) << line;
      EXPECT_EQ(functions[1].line, LineOf("sum += middle(x + i)"));
      EXPECT_EQ(functions[1].start_line, LineOf("long sum = 0;\n    for (int i = 0; i < 50"));
      ++counts->inlined;
    }
  }
  ++counts->samples;
  if (stack.end == bpf::UNWIND_COMPLETE && has_main) {
    ++counts->complete;
    return;
  }
  base::StrAppend(&counts->failures, "end ", static_cast<int>(stack.end), " of");
  for (const auto& frame : stack.frames) {
    const auto named =
        frame.is_java ? watched.Name(frame) : absl::StatusOr<NamedFrame>(NamedFrame());
    base::StrAppend(&counts->failures, " ",
                    named.ok() && frame.is_java ? named->functions.back().name
                                                : watched.rules.Describe(frame.pc));
  }
  counts->failures += "\n";
}

TEST_F(JavaWalkTest, StacksOfARunningThreadAreCompleteAndNamed) {
  struct Mode {
    std::vector<std::string> flags;
    std::string rounds;
    bool is_compiled = false;
  };
  const Mode modes[] = {
      {{"-Xint"}, "1"},
      {{"-XX:+UseG1GC", "-XX:CompileCommand=dontinline,Stacks.leaf"}, "300", true},
      {{"-XX:+UseSerialGC", "-XX:-SegmentedCodeCache", "-XX:CompileCommand=dontinline,Stacks.leaf"},
       "300",
       true},
  };
  for (const std::string& jdk : jdks_) {
    ASSERT_TRUE(Compile(jdk)) << jdk;
    for (const Mode& mode : modes) {
      Watched watched(jdk, Command(mode.flags, "run", mode.rounds));
      for (auto line = watched.program.ReadLine(); line.has_value() && *line != "ready";)
        line = watched.program.ReadLine();
      ASSERT_TRUE(watched.Attach().ok());
      Counts counts;
      for (int i = 0; i < 100; ++i) {
        usleep(500);
        const testing::StoppedThread thread(watched.program.MainThread());
        if (!thread.is_stopped())
          GTEST_SKIP() << "not permitted to trace";
        Count(watched, watched.Walk(thread), &counts);
      }
      const std::string what =
          base::StrCat("JDK ", watched.process.release, " ", mode.flags[0], ": ", counts.complete,
                       " of ", counts.samples, " complete, ", counts.named, " of ", counts.frames,
                       " frames named, ", counts.inlined, " inlined");
      std::printf("%s\n%s", what.c_str(), counts.failures.c_str());
      EXPECT_GE(counts.complete * 100, counts.samples * 95) << what << "\n" << counts.failures;
      EXPECT_GE(counts.named * 1000, counts.frames * 980) << what;
      EXPECT_EQ(counts.inlined > 0, mode.is_compiled) << what;
    }
  }
}

}  // namespace
}  // namespace flarestack::record::runtime
