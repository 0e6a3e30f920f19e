// SPDX-License-Identifier: Apache-2.0
//
// Query latency: a day of one service among a hundred, at 1, 10 and 100 million stored samples of
// it (or the numbers given as arguments). Each query runs on a store that was just opened (cold)
// and again (warm, the best of several). Next to each time is that of a plain loop over the same
// samples as arrays in memory, which no store can beat by much.
//
// Then queries over 80 services at once (wide_queries.h). `query_bench wide [DIR]` runs only
// those, on a store in DIR.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/memory/freed_memory.h"
#include "base/text/text.h"
#include "codec/registry.h"
#include "query/flame/flame.h"
#include "query/flame/flame_container.h"
#include "query/scope/catalogue.h"
#include "query/scope/profile_scope.h"
#include "query/scope/time_series.h"
#include "query_data.h"
#include "store/rocks/database/database.h"
#include "store/rocks/rocks_store.h"
#include "wide_queries.h"

namespace flarestack::bench {
namespace {

using base::kNanosPerHour, base::kNanosPerMinute, base::kNanosPerSecond;

constexpr uint64_t kStart = uint64_t{490'896} * kNanosPerHour;  // a day begins here
constexpr uint64_t kHours = 24;
constexpr int kServices = 100;
constexpr int kInstances = 4;  // of the queried service
constexpr int kStacks = 10'000;
constexpr int kWarmRounds = 5;
constexpr double kWarmMillis = 2000;

struct Budget {
  double cold_ms = 0;  // 0: no budget
  double warm_ms = 0;
};

absl::Status Fill(store::Store* store, uint64_t samples, Arrays* arrays) {
  Program checkout("checkout", kStacks, 1);
  // One message per instance and ten minutes, as large as real ones get.
  const uint64_t messages = kHours * 6 * kInstances;
  for (uint64_t slot = 0; slot < kHours * 6; ++slot) {
    for (int instance = 0; instance < kInstances; ++instance) {
      const model::Batch batch = Message(&checkout,
                                         {.service = "checkout",
                                          .instance = instance,
                                          .from = kStart + slot * 10 * kNanosPerMinute,
                                          .length = 10 * kNanosPerMinute,
                                          .events = samples / messages},
                                         arrays);
      if (const auto appended = store->AppendProfiles(batch); !appended.ok())
        return appended.status();
    }
  }
  for (int service = 1; service < kServices; ++service) {
    const std::string name = base::StrCat("service-", service);
    Program program(name, 200, static_cast<uint32_t>(service));
    for (uint64_t hour = 0; hour < kHours; ++hour) {
      const model::Batch batch = Message(&program,
                                         {.service = name,
                                          .from = kStart + hour * kNanosPerHour,
                                          .length = kNanosPerHour,
                                          .events = 2000},
                                         nullptr);
      if (const auto appended = store->AppendProfiles(batch); !appended.ok())
        return appended.status();
    }
  }
  return absl::OkStatus();
}

double MillisOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

class Bench {
 public:
  explicit Bench(uint64_t samples) : samples_(samples) {
    directory_ = std::filesystem::temp_directory_path().string() + "/query_XXXXXX";
    if (mkdtemp(directory_.data()) == nullptr)
      std::abort();
  }
  ~Bench() {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  bool Run() {
    Open();
    const double fill_ms = MillisOf([&] { Check(Fill(store_.get(), samples_, &arrays_)); });
    std::printf("%.0f samples of one service among %d, stored in %.0f s\n",
                static_cast<double>(arrays_.stacks.size()), kServices, fill_ms / 1000);
    const auto day = [&] { return Range(0, kHours * kNanosPerHour); };
    // The last hour is not rolled up before it ends, and is stored in the chunks that arrived.
    Check(store_->Maintain(kStart + kHours * kNanosPerHour));
    Measure(
        "flame graph, 24 h up to now", {500, 100}, [&] { Flame(Odd(day())); },
        [&] { Loop(Odd(day())); });
    const store::TimeRange last =
        Odd(Range(kHours * kNanosPerHour - 15 * kNanosPerMinute, 15 * kNanosPerMinute));
    Measure(
        "flame graph, 15 min up to now", {0, 20}, [&] { Flame(last); }, [&] { Loop(last); });
    Check(store_->Maintain(kStart + (kHours + 1) * kNanosPerHour));
    Compact();
    const double flame = Measure(
        "flame graph, 24 h", {500, 100}, [&] { Flame(day()); }, [&] { Loop(day()); });
    Measure(
        "flame graph, 24 h, cut at odd times", {500, 100}, [&] { Flame(Odd(day())); },
        [&] { Loop(Odd(day())); });
    const store::TimeRange quarter = Range(20 * kNanosPerHour, 15 * kNanosPerMinute);
    Measure(
        "flame graph, 15 min", {0, 20}, [&] { Flame(quarter); }, [&] { Loop(quarter); });
    const store::TimeRange odd_quarter = Odd(quarter);
    Measure(
        "flame graph, 15 min, cut at odd times", {0, 20}, [&] { Flame(odd_quarter); },
        [&] { Loop(odd_quarter); });
    Measure(
        "profile of a span", {0, 20}, [&] { Span(); }, nullptr);
    Measure(
        "list of services", {0, 5}, [&] { Services(); }, nullptr);
    const store::TimeRange hour = Range(10 * kNanosPerHour, kNanosPerHour);
    Measure(
        "heat map, 1 h of 20 ms", {0, 50}, [&] { Heat(hour); }, [&] { HeatLoop(hour); });
    const double pprof = Measure(
        "pprof, 24 h", {}, [&] { Pprof(day()); }, nullptr);
    std::printf("  pprof takes %.2f times as long as the flame graph of the same day\n",
                pprof / flame);
    return is_met_;
  }

 private:
  static void Check(const absl::Status& status) {
    if (!status.ok()) {
      std::fprintf(stderr, "query_bench: %s\n", std::string(status.message()).c_str());
      std::exit(1);
    }
  }

  void Open() {
    store_.reset();
    auto opened = store::OpenRocksStore({.directory = directory_,
                                         .sync_each_commit = false,
                                         .memory_bytes_max = uint64_t{1} << 30});
    Check(opened.status());
    store_ = *std::move(opened);
  }

  // Compacts chunks into one, as for data of yesterday.
  void Compact() {
    store_.reset();
    auto database = store::rocks::Database::Open(
        {.directory = directory_, .memory = store::rocks::SharedMemory::Make(256 << 20)});
    Check(database.status());
    for (size_t i = 0; i < store::rocks::kFamilyCount; ++i) {
      auto* const handle = (*database)->handle(static_cast<store::rocks::Family>(i));
      (*database)->db().Flush(rocksdb::FlushOptions(), handle);
      (*database)->db().CompactRange(rocksdb::CompactRangeOptions(), handle, nullptr, nullptr);
    }
  }

  static store::TimeRange Range(uint64_t from, uint64_t length) {
    return {.from = kStart + from, .to = kStart + from + length};
  }
  // Cuts the range within seconds, like a range that ends now.
  static store::TimeRange Odd(store::TimeRange range) {
    return {.from = range.from + 17 * kNanosPerSecond + 5, .to = range.to - 1234567};
  }

  static query::ProfileScope Scope(store::TimeRange range) {
    query::ProfileScope scope;
    scope.matchers = *store::ParseSelector("{service.name=\"checkout\"}");
    scope.type = "cpu";
    scope.range = range;
    return scope;
  }

  void Flame(store::TimeRange range) {
    const auto stacks = query::ReadStacks(query::DataSource(store_.get()), Scope(range), {});
    Check(stacks.status());
    if (stacks->set.rows.empty())
      Check(absl::InternalError("there are no stacks"));
    auto tree = query::MakeValueTree(stacks->set);
    Check(tree.status());
    const auto flame = query::CutFlame(*std::move(tree), {});
    Check(flame.status());
    bytes_ = query::EncodeFlame(*flame).size();
  }

  void Span() {
    query::ProfileScope scope = Scope({});
    store::SpanRef span = {.trace_id = std::string(16, '\1'), .span_id = std::string(8, '\2')};
    const uint64_t minute = (kStart + 12 * kNanosPerHour) / kNanosPerMinute;
    span.trace_id[1] = static_cast<char>(minute);
    span.trace_id[2] = static_cast<char>(minute >> 8);
    scope.spans = {span};
    const auto stacks = query::ReadStacks(query::DataSource(store_.get()), scope, {});
    Check(stacks.status());
    if (stacks->set.rows.empty())
      Check(absl::InternalError("the span has no samples"));
  }

  void Services() { Check(query::ListServices(query::DataSource(store_.get()), {}).status()); }

  void Heat(store::TimeRange range) {
    Check(query::ReadTimeSeries(query::DataSource(store_.get()), Scope(range),
                                {.step_nanos = 20'000'000}, {})
              .status());
  }

  // Exports like the server.
  void Pprof(store::TimeRange range) {
    store::ProfileQuery query;
    query.series.matchers = Scope(range).matchers;
    query.range = range;
    query.detail = store::Detail::kMerged;
    query.may_have_orphans = true;
    const auto batch = store_->SelectProfiles(query);
    Check(batch.status());
    size_t bytes = 0;
    base::Warnings warnings;
    const codec::WriteOptions options = {
        .plain = true, .compresses_quickly = true, .warnings = &warnings};
    Check(codec::FindWriter("pprof")->write(*batch, options, [&](std::string_view part) {
      bytes += part.size();
      return absl::OkStatus();
    }));
  }

  void Loop(store::TimeRange range) {
    std::vector<int64_t> sums(kStacks, 0);
    for (size_t i = 0; i < arrays_.stacks.size(); ++i) {
      if (arrays_.times[i] >= range.from && arrays_.times[i] < range.to)
        sums[arrays_.stacks[i]] += 10'000'000;
    }
    sink_ += sums[0];
  }

  void HeatLoop(store::TimeRange range) {
    std::vector<int64_t> cells((range.to - range.from) / 20'000'000, 0);
    for (const uint64_t time : arrays_.times) {
      if (time >= range.from && time < range.to)
        ++cells[(time - range.from) / 20'000'000];
    }
    sink_ += cells[0];
  }

  // Returns the warm time.
  double Measure(const char* name, Budget budget, const std::function<void()>& query,
                 const std::function<void()>& loop) {
    Open();
    const double cold = MillisOf(query);
    double warm = cold;
    // Run fast queries more often: other guests of the machine disturb a round, but rarely all of
    // them.
    double spent = 0;
    for (int i = 0; i < kWarmRounds || spent < kWarmMillis; ++i) {
      const double taken = MillisOf(query);
      warm = std::min(warm, taken);
      spent += taken;
    }
    std::printf("  %-38s cold %8.1f ms  warm %8.1f ms", name, cold, warm);
    if (loop != nullptr) {
      double plain = MillisOf(loop);
      for (int i = 1; i < kWarmRounds; ++i)
        plain = std::min(plain, MillisOf(loop));
      std::printf("  plain loop %7.1f ms, warm is %6.2fx", plain, warm / plain);
    }
    if (budget.warm_ms != 0) {
      const bool is_met = warm <= budget.warm_ms && (budget.cold_ms == 0 || cold <= budget.cold_ms);
      is_met_ &= is_met;
      std::printf("  (budget %.0f", budget.warm_ms);
      if (budget.cold_ms != 0)
        std::printf(", cold %.0f", budget.cold_ms);
      std::printf(" ms) %s", is_met ? "ok" : "MISSED");
    }
    std::printf("\n");
    std::fflush(stdout);
    return warm;
  }

  uint64_t samples_;
  std::string directory_;
  std::unique_ptr<store::Store> store_;
  Arrays arrays_;
  size_t bytes_ = 0;
  int64_t sink_ = 0;
  bool is_met_ = true;
};

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  flarestack::base::KeepFreedMemory(uint64_t{4} << 30);  // same as the server
  if (argc > 1 && std::string_view(argv[1]) == "wide")
    return flarestack::bench::WideQueries(argc > 2 ? argv[2] : "").Run() ? 0 : 4;
  std::vector<uint64_t> counts;
  for (int i = 1; i < argc; ++i)
    counts.push_back(std::strtoull(argv[i], nullptr, 10));
  if (counts.empty())
    counts = {1'000'000, 10'000'000, 100'000'000};
  bool is_met = true;
  for (const uint64_t count : counts)
    is_met &= flarestack::bench::Bench(count).Run();
  is_met &= flarestack::bench::WideQueries("").Run();
  return is_met ? 0 : 4;
}
