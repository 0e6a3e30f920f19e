// SPDX-License-Identifier: Apache-2.0
//
// Records Python programs: their functions have names and lines, in one stack with the C code that
// calls them and that they call. FLARESTACK_PYTHON names another interpreter than python3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Burns CPU time of the thread. The loop has no calls in it that would take most of the time.
constexpr std::string_view kBurn = R"(
import sys, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(2000):
            pass

)";

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
    const std::string path = folder_.File(name);
    EXPECT_TRUE(base::WriteFile(path, base::StrCat(kBurn, text)).ok());
    return Record(folder_, flags, {python_, path});
  }

  // The name of the process.
  std::string command() const { return python_.substr(python_.rfind('/') + 1); }

  std::string python_;
  std::string version_;
};

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
  const bool has_qualified_names = version_ != "3.8" && version_ != "3.9" && version_ != "3.10";
  const std::string shop = has_qualified_names ? "app.Shop." : "app.";
  ExpectChain(recording, command(), 0.9,
              {"app.<module>", "app.main", shop + "checkout", shop + "price", "app.burn"});
  ExpectComplete(recording, command());
}

}  // namespace
}  // namespace flarestack::testing
