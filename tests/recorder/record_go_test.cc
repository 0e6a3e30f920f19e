// SPDX-License-Identifier: Apache-2.0
//
// Records Go programs: the labels and ids of goroutines are attributes of samples, stacks cross
// from Go into C and back, and stripped programs have names. Needs go; FLARESTACK_GO names another
// one, such as one of another version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

class RecordGoTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped())
      return;
    const char* const other = std::getenv("FLARESTACK_GO");
    go_ = other != nullptr ? other : "go";
    if (!HasProgram(go_))
      GTEST_SKIP() << go_ << " is not installed";
  }

  // Never downloads anything. Returns an empty path if this Go does not build programs.
  std::string Build(const std::string& name, const std::string& source,
                    const std::string& flags = "", const std::string& variables = "") {
    static_cast<void>(folder_.Write("main.go", source));
    static_cast<void>(folder_.Write("go.mod", "module example\n\ngo 1.18\n"));
    const std::string program = folder_.File(name);
    const RunResult run =
        RunProgram({"/bin/sh", "-c",
                    base::StrCat("cd ", folder_.path(),
                                 " && GOTOOLCHAIN=local GOPROXY=off GOFLAGS= ", variables, " ", go_,
                                 " build ", flags, " -o ", program, " .")});
    build_error_ = run.error;
    return run.exit_code == 0 ? program : "";
  }

  std::string go_;
  std::string build_error_;
};

// Counts the samples of a program by the value of an attribute. Samples in the kernel do not count:
// how long it works for a program depends on other CPUs.
std::map<std::string, int64_t> CountBy(const Recording& recording, std::string_view command,
                                       const std::string& attribute) {
  std::map<std::string, int64_t> counts;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "samples" || sample.command != command || !sample.kernel.empty())
      continue;
    const auto found = sample.attributes.find(attribute);
    counts[found == sample.attributes.end() ? "" : found->second] += sample.weight;
  }
  return counts;
}

// Two goroutines take turns, so that their shares are those of their turns on any machine. Prints
// the id of each.
constexpr std::string_view kShop = R"(package main

import (
    "bytes"
    "context"
    "fmt"
    "runtime"
    "runtime/pprof"
    "strings"
)

var sink int

//go:noinline
func burn() {
    for i := 0; i < 20000000; i++ {
        sink = (sink + i*7) % 1000003
    }
}

func id() string {
    text := make([]byte, 64)
    text = text[:runtime.Stack(text, false)]
    return string(bytes.Fields(text)[1])
}

func serve(route string, work int, turn, next chan bool, done chan bool) {
    labels := pprof.Labels("route", route, "long", strings.Repeat("é", 200), "empty", "")
    pprof.Do(context.Background(), labels, func(context.Context) {
        fmt.Println(route, id())
        for i := 0; i < 20; i++ {
            <-turn
            for j := 0; j < work; j++ {
                burn()
            }
            next <- true
        }
    })
    done <- true
}

func main() {
    a, b, done := make(chan bool, 1), make(chan bool, 1), make(chan bool)
    go serve("/cart", 3, a, b, done)
    go serve("/search", 1, b, a, done)
    a <- true
    <-done
    <-done
}
)";

TEST_F(RecordGoTest, SamplesHaveTheLabelsOfTheirGoroutine) {
  const std::string program = Build("shop", std::string(kShop), "", "CGO_ENABLED=0");
  if (program.empty())
    GTEST_SKIP() << "this Go does not build programs: " << build_error_;
  const Recording recording = Record(folder_, {"-F", "499"}, {program});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  auto routes = CountBy(recording, "shop", "process.context.label.route");
  const int64_t all = routes["/cart"] + routes["/search"];
  ASSERT_GT(all, 100) << ::testing::PrintToString(routes);
  EXPECT_NEAR(static_cast<double>(routes["/cart"]) / static_cast<double>(all), 0.75, 0.1)
      << ::testing::PrintToString(routes);
  // The runtime itself works for no goroutine.
  EXPECT_LT(routes[""], all / 5) << ::testing::PrintToString(routes);
  EXPECT_EQ(CountBy(recording, "shop", "goroutine.id").size(), 1u);
  std::string long_value;
  for (int i = 0; i < 128; ++i)
    long_value += "é";
  for (const RecordedSample& sample : recording.samples) {
    if (!sample.attributes.contains("process.context.label.route"))
      continue;
    EXPECT_EQ(sample.attributes.at("process.context.label.long"), long_value);
    EXPECT_EQ(sample.attributes.at("process.context.label.empty"), "");
  }
}

TEST_F(RecordGoTest, GoroutineIdsAreThoseOfTheProgram) {
  const std::string program = Build("ids", std::string(kShop), "-buildmode=pie -ldflags='-s -w'");
  if (program.empty())
    GTEST_SKIP() << "this Go does not build programs: " << build_error_;
  const Recording recording = Record(folder_, {"-F", "499", "--goroutines"}, {program});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  std::map<std::string, std::string> printed;  // id of each route
  std::istringstream lines(recording.run.out);
  for (std::string route, id; printed.size() < 2 && lines >> route >> id;)
    printed[route] = id;
  int64_t compared = 0;
  for (const RecordedSample& sample : recording.samples) {
    const auto route = sample.attributes.find("process.context.label.route");
    if (route == sample.attributes.end())
      continue;
    ASSERT_TRUE(sample.attributes.contains("goroutine.id"));
    EXPECT_EQ(sample.attributes.at("goroutine.id"), printed[route->second]);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// C has a thread-local variable too, so that the runtime's is not alone.
constexpr std::string_view kCallsC = R"(package main

/*
#cgo CFLAGS: -O2
long c_work(long turns);
long c_back(long turns);
*/
import "C"

import (
    "context"
    "runtime/pprof"
)

var sink int

//export goWork
func goWork(turns C.long) C.long {
    for i := 0; i < int(turns); i++ {
        sink = (sink + i*7) % 1000003
    }
    return C.long(sink)
}

//go:noinline
func intoC() { C.c_work(20000000) }

//go:noinline
func intoCAndBack() { C.c_back(20000000) }

func with(side string, do func()) {
    pprof.Do(context.Background(), pprof.Labels("side", side), func(context.Context) { do() })
}

func main() {
    for i := 0; i < 20; i++ {
        with("c", intoC)
        with("go", intoCAndBack)
    }
}
)";
constexpr std::string_view kCalledByGo = R"(
#include "_cgo_export.h"
static __thread volatile long sink[10];
__attribute__((noinline)) long c_work(long turns) {
  for (long i = 0; i < turns; ++i)
    sink[1] = (sink[1] + i * 7) % 1000003;
  return sink[1];
}
__attribute__((noinline)) long c_back(long turns) { return goWork(turns) + c_work(1); }
)";

TEST_F(RecordGoTest, StacksCrossIntoCAndBack) {
  if (!HasProgram("gcc"))
    GTEST_SKIP() << "gcc is not installed";
  static_cast<void>(folder_.Write("work.c", std::string(kCalledByGo)));
  const std::string program = Build("crossing", std::string(kCallsC), "", "CGO_ENABLED=1");
  if (program.empty())
    GTEST_SKIP() << "this Go does not build programs with C: " << build_error_;
  const Recording recording = Record(folder_, {"-F", "499"}, {program});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  const int64_t in_c = recording.CountWith("crossing", {"main.main", "main.intoC", "c_work"});
  const int64_t in_go = recording.CountWith(
      "crossing", {"main.main", "main.intoCAndBack", "c_back", "crosscall2", "main.goWork"});
  const Share share = recording.CompleteOf("crossing");
  EXPECT_GT(in_c, share.all / 5) << SomeStack(recording, "crossing");
  EXPECT_GT(in_go, share.all / 5) << SomeStack(recording, "crossing");
  // The first stacks are copied, and the copy has one of their two parts.
  ExpectComplete(recording, "crossing", 5);
  for (const RecordedSample& sample : recording.samples) {
    const auto side = sample.attributes.find("process.context.label.side");
    if (side == sample.attributes.end())
      continue;
    if (HasInOrder(sample.user, {"main.intoC"})) {
      EXPECT_EQ(side->second, "c") << StackText(sample);
    }
    if (HasInOrder(sample.user, {"main.intoCAndBack"})) {
      EXPECT_EQ(side->second, "go") << StackText(sample);
    }
  }
  const auto sides = CountBy(recording, "crossing", "process.context.label.side");
  EXPECT_GE(sides.at("c"), in_c / 2);
  EXPECT_GE(sides.at("go"), in_go / 2);
}

constexpr std::string_view kInlines = R"(package main

var sink int

func step(i int) { sink = (sink + i*7) % 1000003 }

func twice(i int) {
    step(i)
    step(i + 1)
}

//go:noinline
func work() {
    for i := 0; i < 400000000; i++ {
        twice(i)
    }
}

func main() { work() }
)";

TEST_F(RecordGoTest, StrippedProgramsHaveInlinedFunctionsWithLines) {
  const std::string program = Build("inlines", std::string(kInlines), "-ldflags='-s -w'");
  if (program.empty())
    GTEST_SKIP() << "this Go does not build programs: " << build_error_;
  const Recording recording = Record(folder_, {"-F", "499"}, {program});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "inlines", 0.6, {"main.main", "main.work", "main.twice", "main.step"});
  const RunResult top = Flarestack({"top", "-n", "1", recording.path});
  EXPECT_THAT(top.out, ::testing::HasSubstr("main.step  main.go:5"));
}

}  // namespace
}  // namespace flarestack::testing
