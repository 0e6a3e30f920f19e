// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/mutex.h"
#include "base/status.h"
#include "elf/testing/compiled_program.h"
#include "net/testing/gate.h"
#include "symbol/testing/fake_source.h"
#include "symbol/testing/table_text.h"

namespace flarestack::symbol {
namespace {

using absl::StatusCode;
using std::chrono::seconds;
using testing::FakeSource;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::World;
using Kind = ModuleState::Kind;

constexpr char kIdA[] = "aaaaaaaaaaaaaaaaaaaa";
constexpr char kIdB[] = "bbbbbbbbbbbbbbbbbbbb";
constexpr char kHash[] = "00112233445566778899aabbccddeeff";

Module ModuleOf(const std::string& gnu_id) {
  return {.ids = {{IdKind::kGnu, gnu_id}}, .path = "/usr/bin/" + gnu_id.substr(0, 1)};
}

std::string TableBytes(std::string_view function, Quality quality,
                       const std::vector<FileId>& ids = {{IdKind::kGnu, kIdA}}) {
  TableWriter writer;
  for (const FileId& id : ids)
    writer.AddId(id);
  testing::AddText(base::StrCat("100 200  ", function, " a.c:1\n"), quality, &writer);
  return *writer.Finish();
}

class SymbolizerTest : public ::testing::Test {
 protected:
  SymbolizerOptions Options() {
    SymbolizerOptions options;
    options.sources.push_back(std::make_unique<FakeSource>(world_, "first"));
    options.sources.push_back(std::make_unique<FakeSource>(world_, "second"));
    options.make_table = [this](const SymbolFiles& files) {
      const base::MutexLock lock(world_.mutex);
      return world_.tables.at(files.origin);
    };
    options.now = [this] {
      const base::MutexLock lock(world_.mutex);
      return world_.now;
    };
    return options;
  }
  void Start(SymbolizerOptions options) {
    symbolizer_.reset();
    world_.is_cancelled = false;
    symbolizer_ = std::make_unique<Symbolizer>(std::move(options));
  }
  void WantAndWait(const Module& module) {
    symbolizer_->Want(module);
    symbolizer_->AwaitIdle();
  }
  void Pass(seconds time) {
    const base::MutexLock lock(world_.mutex);
    world_.now += time;
  }
  // Returns the function at the address that all tables have; empty if there is no table.
  std::string Function(const std::string& key = kIdA) {
    const auto table = symbolizer_->Ready(key);
    CodeAt code;
    return table != nullptr && table->Find(0x150, &code) ? std::string(code.frames()[0].function)
                                                         : "";
  }

  net::Gate gate_;  // outlives the symbolizer, whose destruction opens it
  World world_;
  std::unique_ptr<Symbolizer> symbolizer_;
};

TEST_F(SymbolizerTest, WantedTableIsReadyLater) {
  world_.Has("first", TableBytes("main", Quality::kDwarf));
  Start(Options());
  EXPECT_EQ(symbolizer_->State(kIdA).kind, Kind::kUnknown);
  EXPECT_EQ(symbolizer_->Ready(kIdA), nullptr);
  const uint64_t generation = symbolizer_->generation();
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "main");
  EXPECT_GT(symbolizer_->generation(), generation);
  const ModuleState state = symbolizer_->State(kIdA);
  EXPECT_EQ(state.kind, Kind::kReady);
  EXPECT_EQ(state.path, "/usr/bin/a");
  EXPECT_EQ(state.function_count, 1u);
  EXPECT_GT(state.table_bytes, 0u);
  ASSERT_THAT(state.attempts, SizeIs(1));
  EXPECT_TRUE(state.attempts[0].is_found);
}

TEST_F(SymbolizerTest, AwaitEndsWithTheSearchOrAtTheDeadline) {
  using Clock = std::chrono::steady_clock;
  world_.Has("first", TableBytes("main", Quality::kDwarf));
  world_.HoldAt(&gate_);
  Start(Options());
  symbolizer_->Want(ModuleOf(kIdA));
  EXPECT_FALSE(symbolizer_->Await({kIdA}, Clock::now()));
  EXPECT_TRUE(symbolizer_->Await({kIdB}, Clock::now())) << "no lookup is pending";
  gate_.Open();
  EXPECT_TRUE(symbolizer_->Await({kIdA, kIdB}, Clock::time_point::max()));
  EXPECT_EQ(Function(), "main");
}

TEST_F(SymbolizerTest, GoodTableEndsTheSearchForGood) {
  world_.Has("first", TableBytes("main", Quality::kSymtab));
  Start(Options());
  for (int i = 0; i < 3; ++i) {
    WantAndWait(ModuleOf(kIdA));
    Pass(seconds(1'000'000));
  }
  EXPECT_EQ(world_.request_count("first"), 1);
  EXPECT_EQ(world_.request_count("second"), 0);
}

TEST_F(SymbolizerTest, PoorTableDoesNotEndTheSearch) {
  world_.Has("first", TableBytes("exported", Quality::kDynsym));
  world_.Has("second", TableBytes("inner", Quality::kDwarf));
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "inner");
  EXPECT_THAT(symbolizer_->State(kIdA).attempts, SizeIs(2));
}

TEST_F(SymbolizerTest, KeepsTheBetterOfTwoPoorTablesOrTheFirst) {
  world_.Has("first", TableBytes("?", Quality::kEhFrame));
  world_.Has("second", TableBytes("exported", Quality::kDynsym));
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "exported");
  world_.Has("first", TableBytes("of_first", Quality::kDynsym));
  symbolizer_->Forget(kIdA);
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "of_first");
}

TEST_F(SymbolizerTest, UsesAPoorTableDuringTheSearchForABetterOne) {
  world_.Has("first", TableBytes("exported", Quality::kDynsym));
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(world_.request_count("first"), 1);
  world_.Has("second", TableBytes("inner", Quality::kDwarf));
  Pass(seconds(3601));
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "inner");
}

TEST_F(SymbolizerTest, FindsATableByEachOfItsIds) {
  world_.Has("first", TableBytes("main", Quality::kDwarf,
                                 {{IdKind::kGnu, kIdA}, {IdKind::kHtlHash, kHash}}));
  Start(Options());
  WantAndWait({.ids = {{IdKind::kHtlHash, kHash}}, .path = "a"});
  EXPECT_EQ(Function(KeyOf({IdKind::kHtlHash, kHash})), "main");
  EXPECT_EQ(Function(kIdA), "main");
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(world_.request_count("first"), 1);
}

TEST_F(SymbolizerTest, FindsTablesOnDiskByEachIdAfterARestart) {
  const elf::testing::WorkFolder folder;
  world_.Has("first", TableBytes("main", Quality::kDwarf,
                                 {{IdKind::kGnu, kIdA}, {IdKind::kHtlHash, kHash}}));
  for (int i = 0; i < 2; ++i) {
    SymbolizerOptions options = Options();
    options.cache.directory = folder.path();
    Start(std::move(options));
    WantAndWait(ModuleOf(kIdA));
    EXPECT_EQ(Function(KeyOf({IdKind::kHtlHash, kHash})), "main");
    EXPECT_EQ(Function(kIdA), "main");
  }
  EXPECT_EQ(world_.request_count("first"), 1);
  symbolizer_->Forget(kIdA);
  EXPECT_EQ(Function(KeyOf({IdKind::kHtlHash, kHash})), "");
}

TEST_F(SymbolizerTest, SearchesAgainForAPoorTableOfAnEarlierProcess) {
  const elf::testing::WorkFolder folder;
  const auto restart = [&] {
    SymbolizerOptions options = Options();
    options.cache.directory = folder.path();
    Start(std::move(options));
    WantAndWait(ModuleOf(kIdA));
  };
  world_.Has("first", TableBytes("exported", Quality::kDynsym));
  restart();
  EXPECT_EQ(Function(), "exported");
  world_.Has("second", TableBytes("inner", Quality::kDwarf));
  restart();
  EXPECT_EQ(Function(), "inner");
  restart();
  EXPECT_EQ(world_.request_count("first"), 2);
}

TEST_F(SymbolizerTest, AliasDoesNotReplaceABetterTable) {
  world_.Has("first", TableBytes("good", Quality::kDwarf));
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  world_.Has("first", TableBytes("poor", Quality::kDynsym,
                                 {{IdKind::kGnu, kIdA}, {IdKind::kHtlHash, kHash}}));
  WantAndWait({.ids = {{IdKind::kHtlHash, kHash}}, .path = "a"});
  EXPECT_EQ(Function(kIdA), "good");
}

struct MissingCase {
  std::string name;
  absl::Status response;
  Kind kind;
  seconds retry;
  StatusCode code;
};

class MissingTest : public SymbolizerTest, public ::testing::WithParamInterface<MissingCase> {};

TEST_P(MissingTest, IsNotSearchedAgainTooEarly) {
  world_.Answer("first", GetParam().response);
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(symbolizer_->State(kIdA).kind, GetParam().kind);
  std::vector<Attempt> attempts;
  EXPECT_EQ(symbolizer_->Find(ModuleOf(kIdA), &attempts).status().code(), GetParam().code);
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[0].outcome, base::Message(GetParam().response));
  Pass(GetParam().retry - seconds(1));
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(world_.request_count("first"), 1);
  Pass(seconds(1));
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(world_.request_count("first"), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, MissingTest,
    ::testing::Values(MissingCase{"Unknown", absl::NotFoundError("no such file"), Kind::kMissing,
                                  seconds(3600), StatusCode::kNotFound},
                      MissingCase{"Unreachable", absl::UnavailableError("down"), Kind::kMissing,
                                  seconds(60), StatusCode::kUnavailable},
                      MissingCase{"TooLarge", absl::ResourceExhaustedError("3 GB"), Kind::kFailed,
                                  seconds(24 * 3600), StatusCode::kFailedPrecondition}),
    [](const auto& which) { return which.param.name; });

TEST_F(SymbolizerTest, UnreadableFilesAreAFailure) {
  world_.Has("first", absl::InvalidArgumentError("not an ELF file"));
  world_.Has("second", std::string("no table either"));
  Start(Options());
  std::vector<Attempt> attempts;
  const auto table = symbolizer_->Find(ModuleOf(kIdA), &attempts);
  EXPECT_EQ(table.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(base::Message(table.status()), HasSubstr("not an ELF file"));
  EXPECT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(symbolizer_->State(kIdA).kind, Kind::kFailed);
}

TEST_F(SymbolizerTest, FindWaitsForTheTable) {
  world_.Has("second", TableBytes("main", Quality::kDwarf));
  Start(Options());
  std::vector<Attempt> attempts;
  const auto table = symbolizer_->Find(ModuleOf(kIdA), &attempts);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->function_count(), 1u);
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_FALSE(attempts[0].is_found);
  EXPECT_EQ(symbolizer_->Find({.ids = {}, .path = "x"}, nullptr).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(SymbolizerTest, ConcurrentRequestsForATableShareOneSearch) {
  world_.HoldAt(&gate_);
  world_.Has("first", TableBytes("main", Quality::kDwarf));
  SymbolizerOptions options = Options();
  options.threads = 3;
  Start(std::move(options));
  symbolizer_->Want(ModuleOf(kIdA));
  gate_.AwaitWaiting(1);
  EXPECT_EQ(symbolizer_->State(kIdA).kind, Kind::kWaiting);
  std::vector<std::thread> threads;
  std::atomic<int> found_count = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      symbolizer_->Want(ModuleOf(kIdA));
      if (symbolizer_->Find(ModuleOf(kIdA), nullptr).ok())
        ++found_count;
    });
  }
  gate_.Open();
  for (std::thread& thread : threads)
    thread.join();
  symbolizer_->AwaitIdle();
  EXPECT_EQ(found_count, 8);
  EXPECT_EQ(world_.request_count("first"), 1);
}

TEST_F(SymbolizerTest, LimitsTheQueue) {
  world_.HoldAt(&gate_);
  SymbolizerOptions options = Options();
  options.waiting_max = 1;
  Start(std::move(options));
  symbolizer_->Want(ModuleOf(kIdA));
  gate_.AwaitWaiting(1);  // now the queue is empty again
  symbolizer_->Want(ModuleOf(kIdB));
  symbolizer_->Want(ModuleOf("cccccccccccccccccccc"));
  EXPECT_EQ(symbolizer_->State(kIdB).kind, Kind::kWaiting);
  EXPECT_EQ(symbolizer_->State("cccccccccccccccccccc").kind, Kind::kUnknown);
  gate_.Open();
  symbolizer_->AwaitIdle();
  EXPECT_EQ(symbolizer_->State(kIdB).kind, Kind::kMissing);
}

TEST_F(SymbolizerTest, LimitsTheNumberOfKnownModules) {
  SymbolizerOptions options = Options();
  options.known_max = 20;
  Start(std::move(options));
  int known_count = 0;
  for (int i = 0; i < 100; ++i)
    WantAndWait(ModuleOf(base::StrCat(kIdA, 100 + i)));
  for (int i = 0; i < 100; ++i)
    known_count += symbolizer_->State(base::StrCat(kIdA, 100 + i)).kind == Kind::kMissing ? 1 : 0;
  EXPECT_LE(known_count, 20);
  EXPECT_GT(known_count, 10);
}

TEST_F(SymbolizerTest, SearchesAgainAfterForget) {
  Start(Options());
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "");
  world_.Has("second", TableBytes("uploaded", Quality::kDwarf));
  const uint64_t generation = symbolizer_->generation();
  symbolizer_->Forget(kIdA);
  EXPECT_GT(symbolizer_->generation(), generation);
  WantAndWait(ModuleOf(kIdA));
  EXPECT_EQ(Function(), "uploaded");
}

TEST_F(SymbolizerTest, RestartsARunningSearchAfterForget) {
  world_.HoldAt(&gate_);
  world_.Has("first", TableBytes("old", Quality::kDwarf));
  Start(Options());
  symbolizer_->Want(ModuleOf(kIdA));
  gate_.AwaitWaiting(1);
  symbolizer_->Forget(kIdA);
  gate_.Open();
  symbolizer_->AwaitIdle();
  EXPECT_EQ(world_.request_count("first"), 2);
  EXPECT_EQ(Function(), "old");
}

TEST_F(SymbolizerTest, DestructionCancelsRunningSearches) {
  world_.HoldAt(&gate_);
  Start(Options());
  symbolizer_->Want(ModuleOf(kIdA));
  symbolizer_->Want(ModuleOf(kIdB));
  gate_.AwaitWaiting(1);
  symbolizer_.reset();
  EXPECT_EQ(world_.request_count("first"), 1);
  EXPECT_EQ(world_.request_count("second"), 0);
}

}  // namespace
}  // namespace flarestack::symbol
