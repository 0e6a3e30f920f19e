// SPDX-License-Identifier: Apache-2.0
//
// Records Python programs: their functions have names and lines, in one stack with the C code that
// calls them and that they call. FLARESTACK_PYTHON names another interpreter than python3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "base/text/text.h"
#include "burn_functions.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;

class RecordPythonTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped())
      return;
    const char* const other = std::getenv("FLARESTACK_PYTHON");
    python_ = other != nullptr ? other : "/usr/bin/python3";
    if (!HasProgram(python_))
      GTEST_SKIP() << python_ << " is not installed";
    const RunResult version = RunProgram(
        {python_, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"});
    std::istringstream(version.out) >> version_;
  }

  Recording RecordScript(const std::string& name, const std::string& text,
                         const std::vector<std::string>& flags = {"-F", "499"}) {
    return Record(folder_, flags, {python_, folder_.Write(name, base::StrCat(kBurnPython, text))});
  }

  // The name of the process.
  std::string command() const { return python_.substr(python_.rfind('/') + 1); }

  // Before 3.11, functions do not know their class.
  std::string Qualified(const std::string& module, const std::string& type,
                        const std::string& function) const {
    const bool has_type = version_ != "3.8" && version_ != "3.9" && version_ != "3.10";
    return base::StrCat(module, has_type ? type : "", function);
  }

  std::string python_;
  std::string version_;
};

// What gunicorn serves is on its command line. A process that the multiprocessing module starts
// belongs to the same service.
TEST_F(RecordPythonTest, DescribesTheServedApplicationAndTheRuntime) {
  const std::string script = folder_.Write("gunicorn", base::StrCat(kBurnPython, R"(
import multiprocessing
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    child = multiprocessing.Process(target=burn, args=(0.5,))
    child.start()
    burn(0.5)
    child.join()
)"));
  const Recording recording =
      Record(folder_, {"-F", "499"}, {python_, script, "-w", "2", "cart.wsgi:app"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  std::map<std::string, int64_t> counts;  // by service
  int64_t all = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (!sample.executable.ends_with(std::filesystem::canonical(python_).filename().string()))
      continue;
    all += sample.weight;
    counts[sample.service] += sample.weight;
    if (sample.service == "cart (served application)") {
      ASSERT_TRUE(sample.runtime.starts_with(base::StrCat("cpython ", version_))) << sample.runtime;
    }
  }
  EXPECT_GT(counts["cart (served application)"], 0) << recording.run.error;
  EXPECT_GT(counts["cart (starter)"], 0) << recording.run.error;
  // Samples between fork and exec have the name of the executable.
  EXPECT_GE(counts["cart (served application)"] + counts["cart (starter)"], all * 9 / 10)
      << ::testing::PrintToString(counts);
}

// The first samples of a process have no Python names, and on a busy host those are many.
TEST_F(RecordPythonTest, NamesFunctionsFromTheLeafToTheModule) {
  const Recording recording = RecordScript("app.py", R"(
class Shop:
    def checkout(self):
        self.price()

    def price(self):
        burn(1.0)

def main():
    Shop().checkout()

main()
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, command(), 0.6,
              {"app.<module>", "app.main", Qualified("app.", "Shop.", "checkout"),
               Qualified("app.", "Shop.", "price"), "app.burn"});
  ExpectComplete(recording, command());
}

// sorted() and the lambda's caller are C functions between Python functions.
TEST_F(RecordPythonTest, KeepsTheOrderOfPythonAndC) {
  const Recording recording = RecordScript("mixed.py", R"(
def work(number):
    burn(0.2)
    return number

def main():
    sorted(range(5), key=work)

main()
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, command(), 0.6,
              {"mixed.<module>", "mixed.main", "PyObject_Vectorcall", "mixed.work", "mixed.burn"});
}

TEST_F(RecordPythonTest, KeepsBothEndsOfADeepRecursion) {
  const Recording recording = RecordScript("deep.py", R"(
def even(depth):
    return odd(depth - 1) if depth else burn(1.0)

def odd(depth):
    return even(depth - 1)

even(400)
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, command(), 0.6,
              {"deep.<module>", "deep.even", "deep.odd", "deep.even", "deep.odd", "deep.even",
               "deep.burn"});
}

TEST_F(RecordPythonTest, NamesTheFunctionsOfThreadsAndChildren) {
  const Recording recording = RecordScript("many.py", R"(
import os, _thread

def in_thread(done):
    burn(0.5)
    done.release()

def in_child():
    burn(0.5)

child = os.fork()
if child == 0:
    in_child()
    os._exit(0)
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(in_thread, (done,))
done.acquire()
os.waitpid(child, 0)
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  EXPECT_GT(recording.CountWith(command(), {"many.in_thread", "many.burn"}), 100);
  EXPECT_GT(recording.CountWith(command(), {"many.<module>", "many.in_child", "many.burn"}), 100);
}

// The thread has released the interpreter's lock while it waits.
TEST_F(RecordPythonTest, NamesTheFunctionThatWaits) {
  const Recording recording = RecordScript("wait.py", R"(
def rest():
    time.sleep(0.05)

for i in range(20):
    rest()
)",
                                           {"-e", "off_cpu"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  int64_t with_name = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type == "off_cpu" && sample.state == "sleep" &&
        HasInOrder(sample.user, {"wait.<module>", "wait.rest"}))
      with_name += sample.weight;
  }
  EXPECT_GT(with_name, 600'000'000) << SomeStack(recording, command());
}

// Each line of the function burns its share of the time.
TEST_F(RecordPythonTest, FindsTheLinesThatRun) {
  const Recording recording = RecordScript("lines.py", R"(
def work():
    burn(0.1)
    burn(0.2)
    burn(0.7)

work()
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const RunResult lines = Flarestack({"lines", "^lines.work$", recording.path, "--type", "cpu"});
  EXPECT_EQ(lines.exit_code, 0) << lines.error;
  // burn() is above, and the first line of each of the two texts is empty.
  EXPECT_THAT(lines.out, HasSubstr("burn(0.7)")) << lines.out;
}

// Samples that arrive before the process is attached to are few.
TEST_F(RecordPythonTest, NamesFunctionsOfShortLivedProcesses) {
  const std::string path = folder_.Write("short.py", base::StrCat(kBurnPython, "burn(0.05)\n"));
  const Recording recording = Record(
      folder_, {"-F", "499"},
      {"/bin/sh", "-c",
       base::StrCat("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ", python_, " ", path, "; done")});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  // Twelve times 50 ms are 300 samples.
  EXPECT_GT(recording.CountWith(command(), {"short.<module>", "short.burn"}), 60)
      << SomeStack(recording, command());
}

}  // namespace
}  // namespace flarestack::testing
