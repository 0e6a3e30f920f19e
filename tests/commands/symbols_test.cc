// SPDX-License-Identifier: Apache-2.0
//
// `flarestack symbols` on programs that the test compiles, and the worker behind it: the program
// under test, started by a TableWorker of this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/sanitized.h"
#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "net/testing/raw_server.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/table_builder.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::testing {
namespace {

using elf::testing::LineOf;
using elf::testing::MarkedSource;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kThreeLines[] = "flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n";

std::string Lines(std::string_view marker) { return base::StrCat(LineOf(MarkedSource(), marker)); }

class SymbolsTest : public ::testing::Test {
 protected:
  bool Make(const std::string& command) const {
    folder_.Write("marked.c", MarkedSource());
    return folder_.Run(command);
  }
  // A stripped program, its debug file, and the unstripped original.
  bool MakeSplit() const {
    return Make(
        "gcc -O2 -g -Wl,--build-id marked.c -o whole && objcopy --only-keep-debug whole x.debug &&"
        "objcopy --strip-all whole x");
  }
  std::string Path(std::string_view name) const { return folder_.Path(name); }

  symbol::SymbolTable TableOf(const std::string& name) {
    bytes_ = folder_.Read(name);
    built_ = *symbol::BuildTable({.executable = bytes_});
    return *symbol::SymbolTable::Open(built_.bytes);
  }
  // An address at which two functions are inlined into Outer.
  std::string InlinedAddress(const std::string& name) {
    std::string address;
    TableOf(name).VisitAll([&address](const symbol::CodeAt& code) {
      if (code.frames().size() == 3)
        address = base::Hex(code.begin());
    });
    return address;
  }
  std::string InlinedText(const std::string& address) const {
    const std::string space(address.size() + 4, ' ');
    const std::string file = "  [^\n]*marked\\.c:";
    return base::StrCat(address, "  Inner", file, Lines("inner stores"), "\n", space,
                        "inlined into Middle", file, Lines("middle calls inner"), "\n", space,
                        "inlined into Outer", file, Lines("outer calls middle"), "\n");
  }

  elf::testing::WorkFolder folder_;
  std::string bytes_;
  symbol::BuiltTable built_;
};

TEST_F(SymbolsTest, SymbolizesAddressesWithInlinedFunctions) {
  if (!Make("gcc -O2 -g marked.c -o x"))
    GTEST_SKIP() << "compilation failed";
  const std::string address = InlinedAddress("x");
  const RunResult text = Flarestack({"symbols", "addr2line", Path("x"), address, "0x1"});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_EQ(text.error, "");
  EXPECT_THAT(text.out, MatchesRegex(InlinedText(address) + "0x1  \\?\n"));

  const std::string decimal = std::to_string(std::stoull(address, nullptr, 16));
  const RunResult piped =
      Flarestack({"symbols", "addr2line", Path("x"), "-"}, {.input = "\n " + decimal + "\t0x1\n"});
  EXPECT_EQ(piped.out, text.out);

  const auto json = nlohmann::json::parse(
      Flarestack({"symbols", "addr2line", "--json", Path("x"), address, "0x1"}).out);
  EXPECT_EQ(json["schema"], "flarestack.symbols.addr2line/1");
  EXPECT_EQ(json["addresses"][0]["quality"], "dwarf");
  EXPECT_EQ(json["addresses"][0]["frames"][2]["function"], "Outer");
  EXPECT_EQ(json["addresses"][0]["frames"][2]["line"],
            LineOf(MarkedSource(), "outer calls middle"));
  EXPECT_EQ(json["addresses"][1]["frames"].size(), 0u);
}

TEST_F(SymbolsTest, ResultsMatchTheTable) {
  folder_.Write("large.cc", elf::testing::LargeSource());
  folder_.Write("other.cc", elf::testing::LargeSourceOther());
  if (!folder_.Run("g++ -O2 -g large.cc other.cc -o x"))
    GTEST_SKIP() << "compilation failed";
  std::string addresses;
  std::vector<std::string> expected;
  TableOf("x").VisitAll([&](const symbol::CodeAt& code) {
    base::StrAppend(&addresses, code.begin(), "\n");
    for (const elf::SourceFrame& frame : code.frames())
      expected.push_back(base::StrCat(base::Hex(code.begin()), " ", frame.function, " ", frame.file,
                                      ":", frame.line));
  });
  const RunResult run =
      Flarestack({"symbols", "addr2line", "--raw-names", "--format", "ndjson", Path("x"), "-"},
                 {.input = addresses});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  std::vector<std::string> names;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    names.push_back(base::StrCat(row["address"].get<std::string>(), " ",
                                 row["function"].get<std::string>(), " ",
                                 row["file"].get<std::string>(), ":", row["line"].get<int64_t>()));
  }
  EXPECT_TRUE(names == expected);
  const RunResult readable =
      Flarestack({"symbols", "addr2line", Path("x"), "-"}, {.input = addresses});
  EXPECT_THAT(readable.out, HasSubstr("::"));
  EXPECT_THAT(readable.out, Not(HasSubstr("  _Z")));
  const RunResult shortened =
      Flarestack({"symbols", "addr2line", "--no-templates", Path("x"), "-"}, {.input = addresses});
  EXPECT_THAT(shortened.out, HasSubstr("<...>"));
}

TEST_F(SymbolsTest, FindsDebugFilesByIdAndByLink) {
  if (!MakeSplit())
    GTEST_SKIP() << "compilation failed";
  const std::string address = InlinedAddress("whole");
  const auto ask = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"symbols", "addr2line"});
    flags.insert(flags.end(), {Path("x"), address});
    return Flarestack(flags).out;
  };
  EXPECT_THAT(ask({}), Not(HasSubstr("Inner")));
  EXPECT_THAT(ask({"--debug-file", Path("x.debug")}), MatchesRegex(InlinedText(address)));
  EXPECT_THAT(ask({"--symbol-path", folder_.path()}), MatchesRegex(InlinedText(address)));

  const auto json = nlohmann::json::parse(
      Flarestack({"symbols", "addr2line", "--json", Path("whole"), address}).out);
  const auto id = json["build_id"].get<std::string>();
  const std::string place = "store/.build-id/" + id.substr(0, 2);
  std::filesystem::create_directories(Path(place));
  std::filesystem::copy_file(Path("x.debug"), Path(place + "/" + id.substr(2) + ".debug"));
  EXPECT_THAT(ask({"--symbol-path", Path("store")}), MatchesRegex(InlinedText(address)));

  ASSERT_TRUE(folder_.Run("objcopy --add-gnu-debuglink=x.debug x"));
  EXPECT_THAT(ask({}), MatchesRegex(InlinedText(address)));
}

// Debug information missing from a stripped program comes from a debuginfod server, set by flag or
// environment.
TEST_F(SymbolsTest, FetchesDebugFilesFromServers) {
  if (!MakeSplit())
    GTEST_SKIP() << "compilation failed";
  const std::string address = InlinedAddress("whole");
  const auto json = nlohmann::json::parse(
      Flarestack({"symbols", "addr2line", "--json", Path("whole"), address}).out);
  const std::string wanted =
      base::StrCat("/buildid/", json["build_id"].get<std::string>(), "/debuginfo ");
  const std::string file = folder_.Read("x.debug");
  std::filesystem::remove(Path("x.debug"));
  std::atomic<int> requested = 0;
  net::RawServer server(
      [&](std::string_view head, const net::RawServer::Send& send) {
        ++requested;
        const bool is_wanted = head.find(wanted) != std::string_view::npos;
        const std::string body = is_wanted ? file : "";
        send(base::StrCat("HTTP/1.1 ", is_wanted ? "200 OK" : "404 Not Found",
                          "\r\nContent-Length: ", body.size(), "\r\nConnection: close\r\n\r\n",
                          body));
      },
      net::RawServer::Afterwards::kClose);
  const std::string url = base::StrCat("http://127.0.0.1:", server.port());

  const RunResult flag =
      Flarestack({"symbols", "addr2line", "--debuginfod", url, Path("x"), address});
  EXPECT_THAT(flag.out, MatchesRegex(InlinedText(address))) << flag.error;
  EXPECT_EQ(requested, 1);
  // A program with complete debug information causes no request.
  EXPECT_EQ(Flarestack({"symbols", "addr2line", "--debuginfod", url, Path("whole"), address}).out,
            flag.out);
  EXPECT_EQ(requested, 1);
  const RunResult why = Flarestack({"symbols", "why", "--debuginfod", url, Path("x")});
  EXPECT_THAT(why.out, AllOf(HasSubstr("+ debuginfod: "), HasSubstr("code from dwarf")));

  setenv("DEBUGINFOD_URLS", url.c_str(), 1);
  const RunResult variable = Flarestack({"symbols", "addr2line", Path("x"), address});
  unsetenv("DEBUGINFOD_URLS");
  EXPECT_EQ(variable.out, flag.out);
}

TEST_F(SymbolsTest, WhyListsEachAttemptAndItsOutcome) {
  if (!MakeSplit())
    GTEST_SKIP() << "compilation failed";
  const RunResult whole = Flarestack({"symbols", "why", Path("whole")});
  EXPECT_EQ(whole.exit_code, 0) << whole.error;
  EXPECT_THAT(whole.out,
              MatchesRegex("ids\n  build id [0-9a-f]{40}\n  htlhash [0-9a-f]{32}\n"
                           "files\n  \\+ [^\n]*/whole: has the requested id\n(  - [^\n]+\n)+"
                           "contents\n(  [^\n]+\n)+known\n  [0-9,]+ ranges of code from dwarf\n"
                           "(  [^\n]+\n)+"));
  // The text of a frame without a name can be used as the argument.
  const RunResult nowhere = Flarestack({"symbols", "why", Path("whole") + "!0xffffff0"});
  EXPECT_EQ(nowhere.exit_code, 3) << nowhere.error;
  EXPECT_THAT(nowhere.out, HasSubstr("0xffffff0\n  is not code of this file"));
  const RunResult stripped = Flarestack({"symbols", "why", Path("x")});
  EXPECT_THAT(stripped.out + stripped.error,
              AllOf(HasSubstr(".debug: no such file"), HasSubstr("names no debug file"),
                    HasSubstr("no DWARF"), HasSubstr("stripped")));
  const RunResult found =
      Flarestack({"symbols", "why", "--symbol-path", folder_.path(), Path("x")});
  EXPECT_THAT(found.out, AllOf(ContainsRegex("\\+ [^\n]*/x.debug: has the requested id"),
                               HasSubstr("functions and 2 inlined calls from DWARF")));
}

TEST_F(SymbolsTest, ReportsErrorsInThreeLines) {
  const std::string garbage = folder_.Write("garbage", std::string("\x7f") + "ELF and garbage");
  const std::string text = folder_.Write("text", "text");
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  struct Case {
    std::vector<std::string> words;
    int exit_code;
  };
  const Case cases[] = {{{"addr2line", garbage, "1"}, 1},
                        {{"addr2line", text, "1"}, 1},
                        {{"addr2line", Path("fifo"), "1"}, 1},
                        {{"addr2line", Path("none"), "1"}, 1},
                        {{"addr2line", folder_.path(), "1"}, 1},
                        {{"addr2line", text, "12ab"}, 2},
                        {{"addr2line", text, "0x"}, 2},
                        {{"addr2line", text}, 2},
                        {{"why", text}, 1},
                        {{"why"}, 2},
                        {{"frobnicate"}, 2},
                        {{}, 2}};
  for (const Case& c : cases) {
    std::vector<std::string> words = {"symbols"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const RunResult run = Flarestack(words);
    SCOPED_TRACE(::testing::PrintToString(words));
    EXPECT_EQ(run.exit_code, c.exit_code);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
  }
}

TEST_F(SymbolsTest, FailsIfNothingIsKnown) {
  if (!Make("gcc -O2 -g marked.c -o x"))
    GTEST_SKIP() << "compilation failed";
  const RunResult run = Flarestack({"symbols", "addr2line", Path("x"), "1"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.out, "0x1  ?\n");
}

TEST_F(SymbolsTest, WorkerIsNotAUserCommand) {
  EXPECT_THAT(Flarestack({"help"}).out, Not(HasSubstr("symbol-worker")));
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_THAT(Flarestack({"completion", shell}).out,
                AllOf(HasSubstr("addr2line"), Not(HasSubstr("symbol-worker"))));
  const RunResult run = Flarestack({"symbol-worker", "1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
}

// Runs the worker with limits set by the test.
class SymbolWorkerTest : public SymbolsTest {
 protected:
  static absl::StatusOr<std::string> Work(const std::string& path,
                                          symbol::TableWorkerOptions options = {}) {
    options.program = FLARESTACK_PROGRAM;
    return symbol::TableWorker(std::move(options)).Make({.executable = path});
  }
  static absl::StatusCode CodeOf(const std::string& path, symbol::TableWorkerOptions options = {}) {
    return Work(path, std::move(options)).status().code();
  }
};

TEST_F(SymbolWorkerTest, BuildsTheSameTableAsThisProcess) {
  if (!Make("gcc -O2 -g marked.c -o x && gcc -O2 -g -gsplit-dwarf marked.c -o split"))
    GTEST_SKIP() << "compilation failed";
  for (const std::string& name : {std::string("x"), std::string("split")}) {
    const auto bytes = Work(Path(name));
    ASSERT_TRUE(bytes.ok()) << name << ": " << bytes.status();
    EXPECT_TRUE(*bytes == TableOf(name).bytes()) << name;
  }
}

TEST_F(SymbolWorkerTest, ReportsWhyAFileCannotBeRead) {
  EXPECT_EQ(CodeOf(folder_.Write("empty", "")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(folder_.Write("text", "text")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(folder_.Write("garbage", std::string("\x7f") + "ELF and garbage")),
            absl::StatusCode::kInvalidArgument);
  const std::string huge = folder_.Write("huge", "");
  std::filesystem::resize_file(huge, uint64_t{1} << 40);
  EXPECT_EQ(CodeOf(huge), absl::StatusCode::kResourceExhausted);
}

TEST_F(SymbolWorkerTest, EnforcesItsLimits) {
  if (!Make("gcc -O2 -g marked.c -o x"))
    GTEST_SKIP() << "compilation failed";
  EXPECT_EQ(CodeOf(Path("x"), {.time_max = std::chrono::milliseconds(1)}),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(CodeOf(Path("x"), {.limits = {.file_bytes = 100}}),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(Path("x"), {.input_bytes_max = 100}), absl::StatusCode::kResourceExhausted);
}

TEST_F(SymbolWorkerTest, EndsWhenMemoryOrTimeRunsOut) {
  // The program itself has a lot of debug information, unless it was built without.
  const std::string large = FLARESTACK_PROGRAM;
  if (std::filesystem::file_size(large) < (100 << 20))
    GTEST_SKIP() << "the program is too small to reach the limits";
  EXPECT_EQ(CodeOf(large, {.limits = {.cpu_seconds = 1}}), absl::StatusCode::kDeadlineExceeded);
  if (base::kIsSanitized)
    return;
  EXPECT_EQ(CodeOf(large, {.limits = {.memory_bytes = 16 << 20}}),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace flarestack::testing
