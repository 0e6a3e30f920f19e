// SPDX-License-Identifier: Apache-2.0
//
// A profile of a stripped program is stored as addresses. Its debug file is pushed later, and then
// the stored profile has names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/testing/eventually.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "elf/build_id.h"
#include "elf/elf_file.h"
#include "elf/elf_symbols.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each function is on an easily recognizable line.
constexpr std::string_view kSource = R"(
volatile int sink;
static inline __attribute__((always_inline)) int price(int item) {
  return sink * item;                                  // line 4
}
namespace shop {
__attribute__((noinline)) int total(int items) {
  int sum = 0;
  for (int i = 0; i < items; ++i)
    sum += price(i);
  return sum;
}
}
int main() { return shop::total(sink); }
)";

class SymbolsServerTest : public ::testing::Test {
 protected:
  // The compiled program without its symbols, and a debug file with them.
  void SetUp() override {
    const std::string source = folder_.Write("shop.cc", kSource);
    whole_ = folder_.File("shop-whole");
    stripped_ = folder_.File("shop");
    debug_ = folder_.File("shop.debug");
    ASSERT_EQ(Run({"g++", "-g", "-O1", "-Wl,--build-id=sha1", "-o", whole_, source}), 0);
    ASSERT_EQ(Run({"objcopy", "--only-keep-debug", whole_, debug_}), 0);
    ASSERT_EQ(Run({"objcopy", "--strip-all", whole_, stripped_}), 0);
    const std::string bytes = ReadWhole(whole_);
    const auto file = elf::ElfFile::Parse(bytes);
    ASSERT_TRUE(file.ok()) << file.status();
    build_id_ = elf::GnuBuildId(*file);
    const auto symbols = elf::ReadFunctionSymbols(*file);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    for (const elf::ElfSymbol& symbol : *symbols) {
      if (symbol.name == "_ZN4shop5totalEi")
        total_ = symbol.begin;
    }
    ASSERT_NE(total_, 0u);
    ASSERT_TRUE(server_.is_running()) << server_.log();
  }

  static int Run(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"/usr/bin/env"};
    all.insert(all.end(), words.begin(), words.end());
    const RunResult result = RunProgram(all);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return result.exit_code;
  }

  // Sends one sample at an address of the file, as a host profiler does.
  void SendSample(uint64_t address) {
    const uint64_t now = base::NowNanos();
    const std::string body = base::StrCat(
        R"({"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},)",
        R"("scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":")",
        now, R"(","durationNano":"1000000000","samples":[{"stackIndex":1,"values":["7"]}]}]}]}],)",
        R"("dictionary":{"mappingTable":[{},{"filenameStrindex":3,"attributeIndices":[1]}],)",
        R"("locationTable":[{},{"mappingIndex":1,"address":")", address, R"("}],)",
        R"("functionTable":[{}],"linkTable":[{}],"stringTable":["","cpu","nanoseconds","/srv/shop",)",
        R"("process.executable.build_id.gnu"],"attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":")",
        build_id_, R"("}}],"stackTable":[{},{"locationIndices":[1]}]}})");
    const Answer response = Send({.url = server_.otlp_http() + "/v1development/profiles",
                                  .content_type = "application/json",
                                  .body = body});
    ASSERT_EQ(response.status, 200) << response.body;
  }

  nlohmann::json Fetch(const std::string& request) {
    const Answer response = Get(server_.http() + "/api/v1" + request);
    EXPECT_EQ(response.status, 200) << request << " " << response.body << response.error;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  // Waits until the background search for symbols has succeeded or failed.
  std::string AwaitState() {
    std::string state;
    EXPECT_TRUE(base::testing::Eventually([&] {
      state = Fetch("/symbols/" + build_id_).value("state", "");
      return state != "waiting" && state != "unknown";
    }));
    return state;
  }

  std::string Top() { return Fetch("/top?type=cpu")["rows"].dump(); }

  RunResult Push(const std::string& path) {
    return Flarestack({"symbols", "push", path, "--server", server_.http()});
  }

  TemporaryFolder folder_;
  std::string whole_;
  std::string stripped_;
  std::string debug_;
  std::string build_id_;
  uint64_t total_ = 0;
  ServerProcess server_{folder_.File("data"), {"--no-host-symbols"}};
};

TEST_F(SymbolsServerTest, SymbolizesStoredDataAfterItsDebugFileIsPushed) {
  SendSample(total_);
  EXPECT_EQ(AwaitState(), "missing");
  EXPECT_THAT(Top(), HasSubstr(base::StrCat("shop!", base::Hex(total_))));
  const nlohmann::json health = Fetch("/symbols/health?type=cpu");
  ASSERT_EQ(health["modules"].size(), 1u) << health;
  EXPECT_EQ(health["modules"][0]["module"], "/srv/shop");
  EXPECT_EQ(health["modules"][0]["share"], 1.0);
  EXPECT_THAT(health["modules"][0]["reason"].dump(), HasSubstr("uploads"));

  const RunResult pushed = Push(debug_);
  EXPECT_EQ(pushed.exit_code, 0) << pushed.error;
  EXPECT_EQ(AwaitState(), "ready") << Fetch("/symbols/" + build_id_);
  EXPECT_THAT(Top(), HasSubstr("shop::total(int)"));
  EXPECT_THAT(Fetch("/lines?type=cpu&fn=/total/").dump(), HasSubstr("shop.cc"));
  EXPECT_EQ(Fetch("/symbols/health?type=cpu")["modules"].size(), 0u);
}

TEST_F(SymbolsServerTest, NamesSurviveARestartAndDisappearWithTheirFile) {
  SendSample(total_);
  ASSERT_EQ(Push(whole_).exit_code, 0);
  EXPECT_EQ(AwaitState(), "ready");
  EXPECT_EQ(server_.Stop(), 0);
  ServerProcess again(folder_.File("data"), {"--no-host-symbols"});
  ASSERT_TRUE(again.is_running()) << again.log();
  EXPECT_THAT(Get(again.http() + "/api/v1/top?type=cpu").body, HasSubstr("shop::total(int)"));
  const RunResult removed = Flarestack({"symbols", "rm", build_id_, "--server", again.http()});
  EXPECT_EQ(removed.exit_code, 0) << removed.error;
  EXPECT_THAT(Get(again.http() + "/api/v1/top?type=cpu").body, Not(HasSubstr("shop::total(int)")));
}

TEST_F(SymbolsServerTest, ServesTheFileOverDebuginfod) {
  ASSERT_EQ(Push(debug_).exit_code, 0);
  ASSERT_EQ(Push(stripped_).exit_code, 0);
  const std::string url = server_.http() + "/buildid/" + build_id_;
  EXPECT_EQ(Get(url + "/debuginfo").body, ReadWhole(debug_));
  EXPECT_EQ(Get(url + "/executable").body, ReadWhole(stripped_));
  EXPECT_EQ(Get(url + "/section/.debug_line").status, 200);
  EXPECT_EQ(Get(url + "/section/.nothing").status, 404);
  EXPECT_EQ(Get(server_.http() + "/buildid/00112233/debuginfo").status, 404);
}

TEST_F(SymbolsServerTest, RejectsAFileOfAnotherBuild) {
  const std::string bytes = ReadWhole(debug_);
  const Answer listed = Get(server_.http() + "/api/v1/symbols");
  EXPECT_EQ(listed.status, 200);
  const RunResult garbage = Push(folder_.Write("garbage", "not a program"));
  EXPECT_NE(garbage.exit_code, 0);
  EXPECT_THAT(garbage.error, HasSubstr("garbage"));
  EXPECT_EQ(Fetch("/symbols")["files"].size(), 0u);
}

}  // namespace
}  // namespace flarestack::testing
