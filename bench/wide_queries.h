// SPDX-License-Identifier: Apache-2.0
//
// Queries over all data at once: a day of 80 services with two instances each, warm. Measures CPU
// time, so that the number of cores and other guests of the machine matter little. If a directory
// is given, the store is created there, and the next run queries the same data.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "query/flame/flame.h"
#include "query/flame/flame_container.h"
#include "query/reports/top.h"
#include "query/scope/profile_scope.h"
#include "query/scope/time_series.h"
#include "query_data.h"
#include "store/rocks/rocks_store.h"

namespace flarestack::bench {

class WideQueries {
 public:
  explicit WideQueries(std::string directory) : directory_(std::move(directory)) {
    is_kept_ = !directory_.empty();
    if (is_kept_)
      return;
    directory_ = std::filesystem::temp_directory_path().string() + "/wide_XXXXXX";
    if (mkdtemp(directory_.data()) == nullptr)
      std::abort();
  }
  ~WideQueries() {
    store_.reset();
    if (!is_kept_)
      std::filesystem::remove_all(directory_);
  }
  WideQueries(const WideQueries&) = delete;
  WideQueries& operator=(const WideQueries&) = delete;

  bool Run() {
    const bool is_filled = std::filesystem::exists(directory_ + "/CURRENT");
    Open();
    if (!is_filled)
      Fill();
    std::printf("%d services with %d instances, a day of %d events an hour each\n", kServices,
                kInstances, kEvents);
    Measure("series by service, 24 h of 5 min", 50, [&] { Series(5 * base::kNanosPerMinute); });
    Measure("series by service, 24 h of 1 h", 50, [&] { Series(base::kNanosPerHour); });
    Measure("flame graph of all services, 24 h", 300, [&] { Flame(); });
    Measure("top functions of all services, 24 h", 300, [&] { Top(); });
    return is_met_;
  }

 private:
  static constexpr uint64_t kStart = uint64_t{490'896} * base::kNanosPerHour;
  static constexpr uint64_t kHours = 24;
  static constexpr int kServices = 80;
  static constexpr int kInstances = 2;
  static constexpr int kEvents = 2000;
  static constexpr int kRounds = 9;

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

  void Fill() {
    for (int service = 0; service < kServices; ++service) {
      const std::string name = base::StrCat("service-", service);
      Program program(name, 1500, static_cast<uint32_t>(service));
      for (uint64_t hour = 0; hour < kHours; ++hour) {
        for (int instance = 0; instance < kInstances; ++instance) {
          const model::Batch batch = Message(&program,
                                             {.service = name,
                                              .instance = instance,
                                              .from = kStart + hour * base::kNanosPerHour,
                                              .length = base::kNanosPerHour,
                                              .events = kEvents,
                                              .events_per_sample = 5},
                                             nullptr);
          Check(store_->AppendProfiles(batch).status());
        }
      }
    }
    Check(store_->Maintain(kStart + (kHours + 1) * base::kNanosPerHour));
  }

  static query::ProfileScope Scope() {
    query::ProfileScope scope;
    scope.type = "cpu";
    scope.range = {.from = kStart, .to = kStart + kHours * base::kNanosPerHour};
    return scope;
  }

  void Series(uint64_t step) {
    const auto series =
        query::ReadTimeSeries(query::DataSource(store_.get()), Scope(),
                              {.step_nanos = step, .by = {"service.name"}, .lines_max = 100}, {});
    Check(series.status());
    if (series->lines.size() != kServices)
      Check(absl::InternalError("some services are missing"));
  }

  void Flame() {
    const auto stacks = query::ReadStacks(query::DataSource(store_.get()), Scope(), {});
    Check(stacks.status());
    auto tree = query::MakeValueTree(stacks->set);
    Check(tree.status());
    const auto flame = query::CutFlame(*std::move(tree), {});
    Check(flame.status());
    if (query::EncodeFlame(*flame).empty())
      Check(absl::InternalError("there is no flame graph"));
  }

  void Top() {
    const auto stacks = query::ReadStacks(query::DataSource(store_.get()), Scope(), {});
    Check(stacks.status());
    if (query::Top(stacks->set, query::TopOrder::kSelf).empty())
      Check(absl::InternalError("there are no functions"));
  }

  static double MillisOf(clockid_t clock, const timespec& begin) {
    timespec end = {};
    clock_gettime(clock, &end);
    return static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3 +
           static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e6;
  }

  struct Taken {
    double cpu_ms = 0;
    double wall_ms = 0;
  };
  static Taken Measure(const std::function<void()>& query) {
    timespec cpu = {};
    timespec wall = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    clock_gettime(CLOCK_MONOTONIC, &wall);
    query();
    return {.cpu_ms = MillisOf(CLOCK_PROCESS_CPUTIME_ID, cpu),
            .wall_ms = MillisOf(CLOCK_MONOTONIC, wall)};
  }

  void Measure(const char* name, double cpu_ms_max, const std::function<void()>& query) {
    Open();
    const Taken cold = Measure(query);
    std::vector<Taken> rounds;
    rounds.reserve(kRounds);
    for (int i = 0; i < kRounds; ++i)
      rounds.push_back(Measure(query));
    std::ranges::sort(rounds, {}, &Taken::cpu_ms);
    const Taken& median = rounds[kRounds / 2];
    const bool is_met = median.cpu_ms <= cpu_ms_max;
    is_met_ &= is_met;
    std::printf(
        "  %-38s CPU time cold %7.1f ms  warm %7.1f ms (wall %.1f ms)  (at most %.0f ms warm) %s\n",
        name, cold.cpu_ms, median.cpu_ms, median.wall_ms, cpu_ms_max, is_met ? "ok" : "MISSED");
    std::fflush(stdout);
  }

  std::string directory_;
  bool is_kept_ = false;
  bool is_met_ = true;
  std::unique_ptr<store::Store> store_;
};

}  // namespace flarestack::bench
