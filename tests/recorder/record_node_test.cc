// SPDX-License-Identifier: Apache-2.0
//
// Records Node.js programs: JavaScript functions have names and lines, in one stack with the native
// code that calls them and that they call. FLARESTACK_NODE names another program than node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "burn_functions.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
    command.push_back(folder_.Write(name, base::StrCat(text, kBurnNode)));
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

constexpr std::string_view kTypeScript = R"(// The prices of a shop.
function priceOf(item: number): number {
  const end = process.cpuUsage().user + item * 1000;
  let sum = 0;
  while (process.cpuUsage().user < end) {
    for (let i = 0; i < 200000; i++) sum = (sum + i * 7) % 1000003;
  }
  return sum;
}
const pricesOf = (items: number[]) => items.map((item) => priceOf(item));
class Shop {
  checkout(): number[] {
    return pricesOf([500, 500, 500]);
  }
}
function main(): number[] {
  return new Shop().checkout();
}
main();
)";

// What a bundler makes of it.
constexpr std::string_view kBundle =
    "'use strict';function t(e){const n=process.cpuUsage().user+e*1e3;let r=0;"
    "for(;process.cpuUsage().user<n;)for(let e=0;e<2e5;e++)r=(r+7*e)%1000003;return r}"
    "const o=e=>e.map(e=>t(e));class s{checkout(){return o([500,500,500])}}"
    "function c(){return(new s).checkout()}c();\n";

constexpr std::string_view kMapNames[] = {"priceOf", "pricesOf", "main"};

struct Mapping {
  std::string_view generated;  // begins here in the bundle
  int line = 0;                // in the original, from 1
  int column = 0;
  int name = -1;
};

// In the order of the bundle.
constexpr Mapping kMappings[] = {
    {"function t", 2, 1},  {"t(e)", 2, 10, 0},     {"const n", 3, 3},
    {"let r=0", 4, 3},     {"for(;", 5, 3},        {"process.cpuUsage().user<n", 5, 10},
    {"for(let e", 6, 5},   {"r=(r+7", 6, 38},      {"return r", 8, 3},
    {"o=e", 10, 7, 1},     {"e=>e.map", 10, 19},   {"e=>t(e)", 10, 49},
    {"t(e));", 10, 59, 0}, {"checkout(){", 12, 3}, {"return o(", 13, 5},
    {"o([", 13, 12, 1},    {"function c", 16, 1},  {"c(){", 16, 10, 2},
    {"return(new", 17, 3}, {"new s", 17, 10},      {"checkout()}", 17, 21},
    {"c();", 19, 1, 2}};

// A number as a source map has it.
std::string MapNumber(int number) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned rest =
      number < 0 ? (static_cast<unsigned>(-number) << 1) | 1 : static_cast<unsigned>(number) << 1;
  std::string text;
  do {
    const unsigned digit = rest & 31;
    rest >>= 5;
    text.push_back(kDigits[digit | (rest != 0 ? 32 : 0)]);
  } while (rest != 0);
  return text;
}

std::string BundleMap() {
  std::string mappings;
  Mapping last = {.line = 1, .column = 1, .name = 0};
  int last_generated = 0;
  for (const Mapping& mapping : kMappings) {
    const size_t at = kBundle.find(mapping.generated, static_cast<size_t>(last_generated));
    EXPECT_NE(at, std::string_view::npos) << mapping.generated;
    const auto generated = static_cast<int>(at);
    mappings += base::StrCat(mappings.empty() ? "" : ",", MapNumber(generated - last_generated),
                             MapNumber(0), MapNumber(mapping.line - last.line),
                             MapNumber(mapping.column - last.column));
    if (mapping.name >= 0) {
      mappings += MapNumber(mapping.name - last.name);
      last.name = mapping.name;
    }
    last.line = mapping.line;
    last.column = mapping.column;
    last_generated = generated;
  }
  std::string names;
  for (const std::string_view name : kMapNames)
    names += base::StrCat(names.empty() ? "" : ",", "\"", name, "\"");
  return base::StrCat(R"({"version":3,"sources":["../src/shop.ts"],"names":[)", names,
                      R"(],"mappings":")", mappings, "\"}");
}

class RecordBundleTest : public RecordNodeTest {
 protected:
  void SetUp() override {
    RecordNodeTest::SetUp();
    for (const char* name : {"src", "dist", "maps"})
      std::filesystem::create_directory(folder_.File(name));
    folder_.Write("src/shop.ts", kTypeScript);
  }

  Recording RecordBundle(std::string_view last_line, std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"-F", "499"});
    return Record(folder_, flags,
                  {node_, folder_.Write("dist/app.js", base::StrCat(kBundle, last_line))});
  }

  static void ExpectOriginal(const Recording& recording) {
    ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
    ExpectChain(recording, "node", 0.6, {"main", "checkout", "pricesOf", "priceOf"});
    const RunResult top = Flarestack({"top", recording.path, "--type", "cpu"});
    EXPECT_THAT(top.out, HasSubstr("priceOf  shop.ts:6")) << top.error;
    const RunResult lines = Flarestack({"lines", "^priceOf$", recording.path, "--type", "cpu"});
    EXPECT_THAT(lines.out, HasSubstr("for (let i = 0; i < 200000; i++)")) << lines.error;
  }
};

TEST_F(RecordBundleTest, SourceMapsGiveOriginalNamesAndLines) {
  folder_.Write("dist/app.js.map", BundleMap());
  ExpectOriginal(RecordBundle("//# sourceMappingURL=app.js.map\n"));
}

TEST_F(RecordBundleTest, SourceMapsMayBeInAFolderOfTheHost) {
  folder_.Write("maps/app.js.map", BundleMap());
  ExpectOriginal(RecordBundle("", {"--source-maps", folder_.File("maps")}));
}

TEST_F(RecordBundleTest, WithoutMapTheBundleIsShown) {
  folder_.Write("dist/app.js.map", R"({"version":3,"sources":["a"],"mappings":"*"})");
  const Recording recording = RecordBundle("//# sourceMappingURL=app.js.map\n");
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "node", 0.6, {"c", "checkout", "o", "t"});
  const RunResult top = Flarestack({"top", recording.path, "--type", "cpu"});
  EXPECT_THAT(top.out, HasSubstr("t  app.js:1")) << top.error;
  EXPECT_THAT(top.out, Not(HasSubstr("shop.ts")));
}

}  // namespace
}  // namespace flarestack::testing
