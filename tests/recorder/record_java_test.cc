// SPDX-License-Identifier: Apache-2.0
//
// Records Java programs: methods have names and lines, whether interpreted, compiled or inlined, in
// one stack with the native code of the runtime. JAVA_HOME names the JDK.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/text/text.h"
#include "recording_fixture.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

constexpr std::string_view kSource = R"(public class Shop {
  static volatile long sink;
  interface Rule { long price(int items); }
  static void burn(long milliseconds) {
    long end = java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
        + milliseconds * 1000000;
    while (java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < end)
      work();
  }
  static void work() {
    long sum = 0;
    for (int i = 0; i < 3000000; i++) sum = (sum + i * 7) % 1000003;
    sink += sum;
  }
  static long checkout(Rule rule) { return rule.price(3); }
  public static void main(String[] arguments) {
    checkout(items -> { burn(2000); return items; });
  }
}
)";

class RecordJavaTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped())
      return;
    const char* const home = std::getenv("JAVA_HOME");
    bin_ = home != nullptr ? base::StrCat(home, "/bin/") : "/usr/bin/";
    if (!HasProgram(bin_ + "java") || !HasProgram(bin_ + "javac"))
      GTEST_SKIP() << "no JDK in " << bin_;
    const RunResult compiled =
        RunProgram({bin_ + "javac", "-d", folder_.path(), folder_.Write("Shop.java", kSource)});
    ASSERT_EQ(compiled.exit_code, 0) << compiled.error;
  }

  Recording RecordShop(const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {bin_ + "java", "-Xmx64m"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-cp", folder_.path(), "Shop"});
    return Record(folder_, {"-F", "499"}, command);
  }

  std::string bin_;
};

// The runtime also starts, compiles and collects garbage, in threads of its own.
TEST_F(RecordJavaTest, NamesCompiledAndInlinedMethods) {
  const Recording recording = RecordShop();
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "java", 0.4,
              {"Shop.main", "Shop.checkout", "Shop.lambda$main$0", "Shop.burn", "Shop.work"});
}

TEST_F(RecordJavaTest, DescribesTheApplicationAndTheRuntime) {
  const Recording recording = RecordShop({"-Dspring.application.name=cart"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const RunResult version = RunProgram({bin_ + "java", "-XshowSettings:properties", "-version"});
  const auto property = [&](std::string_view key) {
    const size_t begin = version.error.find(base::StrCat(key, " = "));
    return begin == std::string::npos
               ? std::string("?")
               : version.error.substr(begin + key.size() + 3,
                                      version.error.find('\n', begin) - begin - key.size() - 3);
  };
  ExpectIdentity(
      recording, "/java", "cart (spring.application.name)",
      base::StrCat(property("java.runtime.name"), " ", property("java.runtime.version")));
}

TEST_F(RecordJavaTest, NamesInterpretedMethods) {
  const Recording recording = RecordShop({"-Xint"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "java", 0.4,
              {"Shop.main", "Shop.checkout", "Shop.lambda$main$0", "Shop.burn", "Shop.work"});
}

}  // namespace
}  // namespace flarestack::testing
