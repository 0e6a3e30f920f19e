// SPDX-License-Identifier: Apache-2.0
//
// Records Node.js programs: JavaScript functions have names and lines, in one stack with the native
// code that calls them and that they call. FLARESTACK_NODE names another program than node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

// Burns CPU time of the process.
constexpr std::string_view kBurn = R"(
function burn(milliseconds) {
  const end = process.cpuUsage().user + milliseconds * 1000;
  let sum = 0;
  while (process.cpuUsage().user < end) {
    for (let i = 0; i < 200000; i++) sum = (sum + i * 7) % 1000003;
  }
  return sum;
}
)";

class RecordNodeTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped())
      return;
    const char* const other = std::getenv("FLARESTACK_NODE");
    node_ = other != nullptr ? other : "/usr/bin/node";
    if (!HasProgram(node_))
      GTEST_SKIP() << node_ << " is not installed";
  }

  Recording RecordScript(const std::string& name, const std::string& text,
                         const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {node_};
    command.insert(command.end(), flags.begin(), flags.end());
    command.push_back(folder_.Write(name, base::StrCat(text, kBurn)));
    return Record(folder_, {"-F", "499"}, command);
  }

  std::string node_;
};

constexpr std::string_view kShop = R"(class Shop {
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
)";

// The first samples, while Node.js starts, have no names of JavaScript.
TEST_F(RecordNodeTest, NamesFunctionsFromTheLeafToTheModule) {
  const Recording recording = RecordScript("shop.js", std::string(kShop));
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "node", 0.6, {"main", "checkout", "price", "burn"});
  ExpectComplete(recording, "node", 10);
}

TEST_F(RecordNodeTest, DescribesThePackageAndTheRuntime) {
  folder_.Write("package.json", R"({"name": "@acme/shop"})");
  const Recording recording = RecordScript("index.js", std::string(kShop));
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const RunResult version = RunProgram({node_, "-p", "process.versions.node"});
  ExpectIdentity(recording, "/node", "@acme/shop (package.json)",
                 base::StrCat("nodejs ", version.out.substr(0, version.out.find('\n'))));
}

TEST_F(RecordNodeTest, NamesInterpretedFunctions) {
  const Recording recording = RecordScript("shop.js", std::string(kShop), {"--jitless"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "node", 0.5, {"main", "checkout", "price", "burn"});
}

// Array.prototype.sort calls back from a builtin.
TEST_F(RecordNodeTest, KeepsTheOrderOfFunctionsAndBuiltins) {
  const Recording recording = RecordScript("callback.js", R"(
function compare(a, b) {
  burn(300);
  return a - b;
}
function order() {
  return [5, 3, 4, 1, 2, 6].sort(compare);
}
order();
)");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "node", 0.6, {"order", "sort", "compare", "burn"});
}

}  // namespace
}  // namespace flarestack::testing
