// SPDX-License-Identifier: Apache-2.0
//
// Records Python, Java and Node.js programs without privileges: their threads are stopped for a
// moment at each sample. The functions have names and lines, and the programs do not notice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "burn_functions.h"
#include "unprivileged_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;

class RecordLanguagesUnprivilegedTest : public UnprivilegedTest {
 protected:
  void SetUp() override {
    UnprivilegedTest::SetUp();
    if (IsSkipped())
      return;
    const RunResult run =
        Run({FLARESTACK_PROGRAM, "record", "-o", folder_.File("probe.otlp"), "--", "/bin/true"});
    if (run.exit_code == 5)
      GTEST_SKIP() << "no perf events for users without privileges: " << run.error;
    if (run.error.find("no functions of Python") != std::string::npos)
      GTEST_SKIP() << "not permitted to trace: " << run.error;
  }

  std::string recording() const { return folder_.File("own.otlp"); }

  RunResult RecordCommand(const std::vector<std::string>& command,
                          const std::string& frequency = "199") {
    std::vector<std::string> words = {FLARESTACK_PROGRAM, "record", "-n",        "0", "-F",
                                      frequency,          "-o",     recording(), "--"};
    words.insert(words.end(), command.begin(), command.end());
    RunResult run = Run(words);
    samples_ = ReadSamples(recording());
    std::printf("%s", run.error.c_str());
    return run;
  }

  int64_t All() const { return With({}); }
  int64_t With(const std::vector<std::string>& functions) const {
    int64_t sum = 0;
    for (const RecordedSample& sample : samples_)
      sum += sample.type == "samples" && HasInOrder(sample.user, functions) ? sample.weight : 0;
    return sum;
  }
  // Samples from before the runtime was found, and those for which there was no time, have native
  // frames only. On a busy machine those are many.
  void ExpectShare(double share, const std::vector<std::string>& functions) const {
    ASSERT_GT(All(), 20);
    EXPECT_GE(static_cast<double>(With(functions)), share * static_cast<double>(All()))
        << StackText(samples_.front());
  }

  std::vector<RecordedSample> samples_;
};

class RecordPythonUnprivilegedTest : public RecordLanguagesUnprivilegedTest {
 protected:
  void SetUp() override {
    RecordLanguagesUnprivilegedTest::SetUp();
    if (IsSkipped())
      return;
    const char* const other = std::getenv("FLARESTACK_PYTHON");
    python_ = other != nullptr ? other : "/usr/bin/python3";
    if (Run({python_, "-c", "0"}).exit_code != 0)
      GTEST_SKIP() << "user 65534 cannot run " << python_;
  }

  RunResult RecordPython(const std::string& text, const std::string& frequency = "199") {
    return RecordCommand({python_, folder_.Write("app.py", base::StrCat(kBurnPython, text))},
                         frequency);
  }

  std::string python_;
};

TEST_F(RecordPythonUnprivilegedTest, NamesPythonFunctionsFromTheLeafToTheModule) {
  const RunResult run = RecordPython(R"(
class Shop:
    def checkout(self):
        self.price()

    def price(self):
        burn(0.5)
        burn(1.5)

def main():
    sorted(range(1), key=lambda one: Shop().checkout())

main()
sys.exit(7)
)");
  EXPECT_EQ(run.exit_code, 7) << run.error;
  ExpectShare(0.5, {"app.<module>", "app.main", "PyObject_Vectorcall", "app.burn"});
  int64_t complete = 0;
  for (const RecordedSample& sample : samples_)
    complete += sample.type == "samples" && sample.IsComplete() ? sample.weight : 0;
  EXPECT_GE(complete * 10, All() * 9);
  const RunResult lines = Flarestack({"lines", "price$", recording(), "--type", "cpu"});
  EXPECT_THAT(lines.out, HasSubstr("burn(1.5)")) << lines.error;
}

// Each frame belongs to the same moment as the others: in this program, leaf and caller change
// together all the time, and no other pairs exist.
TEST_F(RecordPythonUnprivilegedTest, PythonFramesOfOneSampleBelongTogether) {
  const RunResult run = RecordPython(R"(
def red_leaf():
    return sum(range(20))

def blue_leaf():
    return sum(range(20))

def red():
    return red_leaf()

def blue():
    return blue_leaf()

end = time.thread_time() + 2
while time.thread_time() < end:
    for i in range(500):
        red()
        blue()
)");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_GT(With({"app.red", "app.red_leaf"}), 10) << run.error;
  EXPECT_GT(With({"app.blue", "app.blue_leaf"}), 10) << run.error;
  EXPECT_EQ(With({"app.red", "app.blue_leaf"}), 0);
  EXPECT_EQ(With({"app.blue", "app.red_leaf"}), 0);
}

TEST_F(RecordPythonUnprivilegedTest, NamesPythonFunctionsOfThreadsAndChildren) {
  const RunResult run = RecordPython(R"(
import os, _thread

def in_thread(done):
    burn(1.0)
    done.release()

def in_child():
    burn(1.0)

child = os.fork()
if child == 0:
    in_child()
    os._exit(0)
done = [_thread.allocate_lock() for i in range(3)]
for one in done:
    one.acquire()
    _thread.start_new_thread(in_thread, (one,))
for one in done:
    one.acquire()
assert os.waitpid(child, 0)[1] == 0
)");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_GT(With({"app.in_thread", "app.burn"}), 60) << run.error;
  EXPECT_GT(With({"app.<module>", "app.in_child", "app.burn"}), 20) << run.error;
}

// At 999 Hz, a thread is stopped often.
TEST_F(RecordPythonUnprivilegedTest, ProgramDoesNotNotice) {
  const RunResult run = RecordPython(R"(
import ctypes, os, platform, select, signal

libc = ctypes.CDLL(None, use_errno=True)
poll = libc.epoll_create1(0)
if platform.machine() == 'x86_64':
    # Python itself would call epoll_wait again.
    for i in range(40):
        burn(0.004)
        begin = time.monotonic()
        assert libc.epoll_wait(poll, ctypes.create_string_buffer(64), 1, 4) == 0
        assert time.monotonic() - begin >= 0.003
for i in range(20):
    burn(0.004)
    begin = time.monotonic()
    time.sleep(0.004)
    assert time.monotonic() - begin >= 0.004

counts = {}
def count(number, frame):
    counts[number] = counts.get(number, 0) + 1

signal.signal(signal.SIGUSR1, count)
for i in range(500):
    burn(0.0005)
    os.kill(os.getpid(), signal.SIGUSR1)
assert counts[signal.SIGUSR1] == 500, counts

signal.signal(signal.SIGCHLD, count)
for i in range(20):
    child = os.fork()
    if child == 0:
        burn(0.003)
        os._exit(i)
    assert os.waitpid(child, 0) == (child, i << 8)
    burn(0.001)
assert counts[signal.SIGCHLD] == 20, counts

signal.signal(signal.SIGALRM, count)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
burn(0.3)
signal.setitimer(signal.ITIMER_REAL, 0)
assert counts[signal.SIGALRM] > 1, counts

sys.exit(5)
)",
                                     "999");
  EXPECT_EQ(run.exit_code, 5) << run.error;
  EXPECT_GT(With({"app.<module>", "app.burn"}), 20) << run.error;
}

TEST_F(RecordPythonUnprivilegedTest, EndOfAProgramIsSeenHoweverItEnds) {
  for (const std::string end : {"os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)",
                                "os.execv('/bin/sh', ['sh', '-c', 'exit 3'])"}) {
    SCOPED_TRACE(end);
    const RunResult run = RecordPython(base::StrCat(R"(
import os, signal, _thread
for i in range(4):
    _thread.start_new_thread(burn, (60,))
burn(0.3)
)",
                                                    end, "\n"),
                                       "999");
    EXPECT_EQ(run.exit_code, end.find("SIGKILL") != std::string::npos ? 137 : 3) << run.error;
    EXPECT_GT(With({"app.burn"}), 20) << run.error;
  }
}

TEST_F(RecordLanguagesUnprivilegedTest, NamesJavaMethods) {
  const char* const home = std::getenv("JAVA_HOME");
  const std::string bin = home != nullptr ? base::StrCat(home, "/bin/") : "/usr/bin/";
  if (Run({bin + "javac", "-version"}).exit_code != 0)
    GTEST_SKIP() << "no JDK in " << bin;
  const std::string source = folder_.Write("Shop.java", R"(public class Shop {
  static volatile long sink;
  interface Rule { long price(int items); }
  static void burn(long milliseconds) {
    long end = System.nanoTime() + milliseconds * 1000000;
    while (System.nanoTime() < end) work();
  }
  static void work() {
    long sum = 0;
    for (int i = 0; i < 1000000; i++) sum = (sum + i * 7) % 1000003;
    sink += sum;
  }
  static long checkout(Rule rule) { return rule.price(3); }
  public static void main(String[] arguments) {
    checkout(items -> { burn(4000); return items; });
    System.exit(6);
  }
}
)");
  const RunResult compiled = RunProgram({bin + "javac", "-d", folder_.path(), source});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.error;
  const RunResult run = RecordCommand({bin + "java", "-Xmx64m", "-cp", folder_.path(), "Shop"});
  EXPECT_EQ(run.exit_code, 6) << run.error;
  ExpectShare(0.35, {"Shop.main", "Shop.checkout", "Shop.lambda$main$0", "Shop.burn", "Shop.work"});
}

TEST_F(RecordLanguagesUnprivilegedTest, NamesJavaScriptFunctions) {
  const char* const other = std::getenv("FLARESTACK_NODE");
  const std::string node = other != nullptr ? other : "/usr/bin/node";
  if (!HasProgram(node))
    GTEST_SKIP() << node << " is not installed";
  const RunResult run = RecordCommand({node, folder_.Write("shop.js", base::StrCat(R"(class Shop {
  checkout() {
    return this.price(1);
  }
  price(depth) {
    return burn(1500) + depth;
  }
}
function main() {
  return new Shop().checkout();
}
main();
process.exit(4);
)",
                                                                                   kBurnNode))});
  EXPECT_EQ(run.exit_code, 4) << run.error;
  ExpectShare(0.5, {"main", "checkout", "price", "burn"});
}

}  // namespace
}  // namespace flarestack::testing
