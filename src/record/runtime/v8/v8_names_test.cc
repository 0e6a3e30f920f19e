// SPDX-License-Identifier: Apache-2.0
//
// Walks and names the stacks of a running Node.js, stopped by ptrace.
#include "record/runtime/v8/v8_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/testing/eventually.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/v8/testing/mixed_stacks.h"
#include "record/runtime/v8/testing/node_process.h"
#include "record/runtime/v8/v8_process.h"

namespace flarestack::record::runtime {
namespace {

using base::testing::Eventually;
using testing::MixedStack;
using testing::MixedStacks;
using testing::NodeProcess;
using testing::TracedThread;

struct NamedStack {
  bool is_complete = false;
  std::vector<NamedFunction> functions;  // of JavaScript, innermost first
  std::vector<std::string> native;       // symbols
  int unnamed = 0;

  bool Has(std::string_view name) const {
    return std::any_of(functions.begin(), functions.end(),
                       [&](const NamedFunction& function) { return function.name == name; });
  }
};

// A script that runs, and what is needed to read its stacks.
class RunningScript {
 public:
  RunningScript(const std::string& node, const std::string& directory, std::string_view script) {
    path_ = directory + "/script.js";
    std::ofstream(path_) << script;
    process_ = std::make_unique<NodeProcess>(node, std::vector<std::string>{path_});
  }

  // To be called once the script runs.
  absl::Status Attach() {
    auto stacks = MixedStacks::Of(process_->pid());
    if (!stacks.ok())
      return stacks.status();
    stacks_ = *std::move(stacks);
    auto v8 = MakeV8Process(stacks_->v8());
    if (!v8.ok())
      return v8.status();
    names_ = std::make_unique<V8Names>(stacks_->v8(), *v8);
    return absl::OkStatus();
  }

  NodeProcess& process() { return *process_; }
  const std::string& path() const { return path_; }
  MixedStacks& stacks() { return *stacks_; }

  NamedStack Sample(TracedThread* thread) {
    NamedStack named;
    const auto registers = thread->Stop();
    if (!registers.has_value())
      return named;
    EXPECT_TRUE(stacks_->Refresh().ok());
    const MixedStack stack = stacks_->Walk(*registers);
    named.is_complete = stack.IsComplete();
    for (const testing::MixedFrame& frame : stack.frames) {
      if (!frame.is_v8)
        named.native.push_back(frame.symbol);
      else
        AddNamed(frame.words, &named);
    }
    thread->Continue();
    return named;
  }

 private:
  void AddNamed(const V8Words& words, NamedStack* named) {
    const auto read = [this](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(process_->pid(), address, out);
    };
    const auto pc = V8Names::PcOf(words);
    const auto frame = names_->Name(
        words, {.read = read,
                .address_in_file = pc.has_value() ? stacks_->AddressInV8(*pc) : std::nullopt});
    if (!frame.ok()) {
      ++named->unnamed;
      return;
    }
    // Stubs are not JavaScript.
    const bool is_stub = ((words.frame >> V8_FRAME_KIND_SHIFT) & 15) == bpf::V8_FRAME_STUB;
    for (const NamedFunction& function : frame->functions) {
      if (!is_stub || !function.file.empty())
        named->functions.push_back(function);
    }
  }

  std::string path_;
  std::unique_ptr<NodeProcess> process_;
  std::unique_ptr<MixedStacks> stacks_;
  std::unique_ptr<V8Names> names_;
};

// A line of Error.stack: "    at Shop.checkout (/tmp/x.js:3:27)".
struct PrintedFrame {
  std::string name;  // without the class
  std::string place;
};

std::vector<PrintedFrame> ParsePrinted(const std::vector<std::string>& lines) {
  std::vector<PrintedFrame> frames;
  for (const std::string& line : lines) {
    if (!line.starts_with("    at ") || line.starts_with("    at async "))
      continue;
    PrintedFrame frame = {.place = line.substr(7)};
    if (const size_t open = line.rfind(" ("); open != std::string::npos) {
      frame.place = line.substr(open + 2, line.size() - open - 3);
      frame.name = line.substr(7, open - 7);
      frame.name = frame.name.substr(0, frame.name.find(" [as "));
      frame.name = frame.name.substr(frame.name.find_last_of(". ") + 1);
    }
    frames.push_back(frame);
  }
  return frames;
}

std::string PlaceOf(const NamedFunction& function) {
  return function.file + ":" + std::to_string(function.line) + ":" +
         std::to_string(function.column);
}

class V8NamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    node_ = testing::FindNode();
    if (node_.empty())
      GTEST_SKIP() << "no node on PATH; install Node.js 16, 18, 20, 22, 24 or 26";
    std::string name = std::filesystem::temp_directory_path() / "v8_names_XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  void TearDown() override {
    if (!directory_.empty())
      std::filesystem::remove_all(directory_);
  }

  std::string node_;
  std::string directory_;
};

#define FLARE_ATTACH_OR_SKIP(running)                               \
  if (const absl::Status status = running.Attach(); !status.ok()) { \
    if (status.code() == absl::StatusCode::kUnimplemented ||        \
        status.code() == absl::StatusCode::kPermissionDenied)       \
      GTEST_SKIP() << status;                                       \
    FAIL() << status;                                               \
  }                                                                 \
  TracedThread main_thread(running.process().pid());                \
  if (!main_thread.is_traced())                                     \
  GTEST_SKIP() << "ptrace is not permitted here"

// Prints its stack, and then waits in a read.
constexpr std::string_view kBlock = R"(
const fs = require('fs');
Error.stackTraceLimit = 100;
function block() {
  fs.writeSync(1, new Error('here').stack + '\nready\n');
  fs.readSync(0, Buffer.alloc(1));
}
)";

// Compares the stack of a script that waits in block() with what it printed.
void ExpectPrintedStack(RunningScript* running, const std::vector<PrintedFrame>& printed,
                        TracedThread* thread) {
  NamedStack stack;
  ASSERT_TRUE(Eventually([&] {
    stack = running->Sample(thread);
    return stack.Has("readSync") && stack.Has("block");
  }));
  EXPECT_TRUE(stack.is_complete);
  EXPECT_EQ(stack.unnamed, 0);
  ASSERT_GT(printed.size(), 3u);
  auto function = std::find_if(stack.functions.begin(), stack.functions.end(),
                               [](const NamedFunction& f) { return f.name == "block"; });
  ASSERT_NE(function, stack.functions.end());
  EXPECT_EQ(PlaceOf(*function), running->path() + ":6:6");
  EXPECT_EQ(function->start_line, 4);
  // The frames below block() have not changed since it printed them.
  for (size_t i = 1; i < printed.size(); ++i) {
    ++function;
    ASSERT_NE(function, stack.functions.end()) << "no frame for " << printed[i].place;
    if (printed[i].place == "<anonymous>") {
      EXPECT_EQ(function->name, printed[i].name);
      continue;
    }
    std::string place = PlaceOf(*function);
    if (printed[i].place.starts_with("file://"))
      place.insert(0, "file://");
    EXPECT_EQ(place, printed[i].place);
    if (function->file == running->path() && printed[i].name != "<anonymous>" &&
        !printed[i].name.empty()) {
      EXPECT_EQ(function->name.substr(function->name.rfind('.') + 1), printed[i].name);
    }
  }
}

TEST_F(V8NamesTest, NamesFunctionsMethodsClosuresAndBuiltinsAsTheScriptPrintsThem) {
  RunningScript running(node_, directory_, std::string(kBlock) + R"(
const shop = {
  total: function() { [3, 1].sort((left, right) => { block(); return left - right; }); },
};
class Cart {
  #items = [1];
  constructor() { this.checkout(); }
  checkout() {
    return this.#items.map(function visit(item) { return Cart.add(item); });
  }
  static add(item) {
    const closure = () => { shop.total(); };
    closure();
  }
}
function outer() { return new Cart(); }
(function () { outer(); })();
)");
  const auto printed = ParsePrinted(running.process().ReadUntil("ready"));
  FLARE_ATTACH_OR_SKIP(running);
  ExpectPrintedStack(&running, printed, &main_thread);
  const NamedStack stack = running.Sample(&main_thread);
  for (const char* name : {"sort", "map", "visit", "Cart", "checkout", "add", "closure", "outer"})
    EXPECT_TRUE(stack.Has(name)) << name;
}

TEST_F(V8NamesTest, NamesAnAsyncFunctionAfterAwait) {
  RunningScript running(node_, directory_, std::string(kBlock) + R"(
async function inner(value) {
  await null;
  value.forEach((x) => block(x));
}
async function start() { await inner([1]); }
start();
)");
  const auto printed = ParsePrinted(running.process().ReadUntil("ready"));
  FLARE_ATTACH_OR_SKIP(running);
  ExpectPrintedStack(&running, printed, &main_thread);
  EXPECT_TRUE(running.Sample(&main_thread).Has("inner"));
}

// The functions are on lines of their own, so that a wrong line is seen.
constexpr std::string_view kHot = R"(
function leaf(values, i) {
  let sum = 0;
  for (let j = 0; j < 50; ++j)
    sum += values[(i + j) % values.length];
  return sum;
}
function perItem(values) {
  return values.map(function callback(value, i) {
    return leaf(values, i) + value;
  }).length;
}
class Shop {
  checkout(values) {
    return perItem(values);
  }
}
const shop = new Shop();
const values = Array.from({length: 1000}, (_, i) => i);
function forever() {
  for (let i = 0; ; ++i) {
    shop.checkout(values);
    if (i === 300)
      console.log('ready');
  }
}
forever();
)";

TEST_F(V8NamesTest, SamplesOfOptimizedCodeAreCompleteNamedAndInTheirFunctions) {
  RunningScript running(node_, directory_, kHot);
  running.process().ReadUntil("ready");
  FLARE_ATTACH_OR_SKIP(running);
  struct Lines {
    int64_t first;
    int64_t last;
  };
  const std::map<std::string, Lines> functions = {{"leaf", {2, 7}},
                                                  {"callback", {9, 11}},
                                                  {"perItem", {8, 12}},
                                                  {"checkout", {14, 16}},
                                                  {"forever", {20, 26}}};
  constexpr int kSamples = 200;
  int complete = 0;
  int named = 0;
  int unnamed = 0;
  int with_callers = 0;
  for (int i = 0; i < kSamples; ++i) {
    usleep(static_cast<useconds_t>(500 + 37 * (i % 40)));
    const NamedStack stack = running.Sample(&main_thread);
    // A stripped program has no symbol for its entry.
    const bool is_entry =
        !stack.native.empty() && (stack.native.back() == "_start" || stack.native.back().empty());
    complete += stack.is_complete && is_entry ? 1 : 0;
    unnamed += stack.unnamed;
    with_callers += stack.Has("perItem") && stack.Has("checkout") && stack.Has("forever") ? 1 : 0;
    for (const NamedFunction& function : stack.functions) {
      ++named;
      const auto expected = functions.find(function.name);
      if (expected == functions.end() || function.file != running.path())
        continue;
      EXPECT_EQ(function.start_line, expected->second.first) << function.name;
      if (function.line != 0) {
        EXPECT_GE(function.line, expected->second.first) << function.name;
        EXPECT_LE(function.line, expected->second.last) << function.name;
      }
    }
  }
  EXPECT_GE(complete, kSamples * 95 / 100);
  EXPECT_LE(unnamed * 50, named + unnamed);  // at least 98 % are named
  // Nearly all samples are inside checkout(): few are in the loop of forever() itself.
  EXPECT_GE(with_callers, kSamples * 80 / 100);
}

// Samples a script that is restricted to one tier, and expects the line of each call.
void ExpectLinesOfTier(const std::string& node, const std::string& directory,
                       const std::string& flag) {
  RunningScript running(node, directory, "const flags = ['--no-opt', '" + flag + R"('];
if (parseInt(process.versions.v8) >= 11) flags.push('--no-maglev');
flags.forEach((flag) => require('v8').setFlagsFromString(flag));
function leaf(values, i) {
  let sum = 0;
  for (let j = 0; j < 30; ++j)
    sum += values[(i + j) % 100];
  return sum;
}
function middle(values) {
  let total = 0;
  for (let i = 0; i < 100; ++i)
    total +=
      leaf(values, i);
  return total;
}
function outermost(values) {
  console.log('ready');
  for (;;)
    middle(values);
}
outermost(Array.from({length: 100}, (_, i) => i));
)");
  running.process().ReadUntil("ready");
  FLARE_ATTACH_OR_SKIP(running);
  constexpr int kSamples = 60;
  int in_leaf = 0;
  int without_line = 0;
  for (int i = 0; i < kSamples; ++i) {
    usleep(static_cast<useconds_t>(500 + 37 * (i % 40)));
    const NamedStack stack = running.Sample(&main_thread);
    EXPECT_TRUE(stack.is_complete);
    EXPECT_EQ(stack.unnamed, 0);
    for (size_t f = 0; f < stack.functions.size(); ++f) {
      const NamedFunction& function = stack.functions[f];
      if (function.name == "outermost") {
        EXPECT_TRUE(function.line == 20 || function.line == 19) << function.line;
      }
      if (function.name != "leaf" || f + 1 == stack.functions.size())
        continue;
      ++in_leaf;
      // Unknown if a builtin without a frame runs that has put more than its return address on the
      // stack.
      without_line += function.line == 0 ? 1 : 0;
      EXPECT_TRUE(function.line == 0 || (function.line >= 4 && function.line <= 9))
          << function.line;
      EXPECT_EQ(stack.functions[f + 1].name, "middle");
      EXPECT_EQ(PlaceOf(stack.functions[f + 1]), running.path() + ":14:7");
    }
  }
  EXPECT_GE(in_leaf, kSamples / 2);
  EXPECT_LE(without_line, kSamples / 10);
}

TEST_F(V8NamesTest, InterpretedFramesHaveTheirLines) {
  ExpectLinesOfTier(node_, directory_, "--no-sparkplug");
}

TEST_F(V8NamesTest, BaselineFramesHaveTheirLines) {
  ExpectLinesOfTier(node_, directory_, "--always-sparkplug");
}

TEST_F(V8NamesTest, NamesFunctionsOfWorkerThreads) {
  RunningScript running(node_, directory_, R"(
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) {
  new Worker(__filename).once('message', () => console.log('ready'));
} else {
  function spin(n) { let s = 0; for (let i = 0; i < n; ++i) s += Math.sqrt(i); return s; }
  function inWorker() { parentPort.postMessage(spin(1)); for (;;) spin(1e5); }
  inWorker();
}
)");
  running.process().ReadUntil("ready");
  FLARE_ATTACH_OR_SKIP(running);
  bool is_found = false;
  ASSERT_TRUE(Eventually([&] {
    for (const pid_t tid : running.process().Threads()) {
      if (tid == running.process().pid())
        continue;
      TracedThread thread(tid);
      const NamedStack stack = running.Sample(&thread);
      if (!stack.Has("inWorker"))
        continue;
      EXPECT_TRUE(stack.is_complete);
      EXPECT_EQ(stack.unnamed, 0);
      is_found = true;
    }
    return is_found;
  }));
}

}  // namespace
}  // namespace flarestack::record::runtime
