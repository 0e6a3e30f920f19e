// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/reopening_store.h"

#include <algorithm>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace flarestack::store {
namespace {

using Clock = std::chrono::steady_clock;

class ReopeningStore : public Store {
 public:
  explicit ReopeningStore(ReopeningOptions options) : options_(std::move(options)) {}
  ~ReopeningStore() override;

  absl::Status Open();

  absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& batch) override {
    return Use([&](Store& store) { return store.AppendProfiles(batch); });
  }
  absl::Status AppendTraces(const model::TraceBatch& batch) override {
    return Use([&](Store& store) { return store.AppendTraces(batch); });
  }
  absl::Status AppendLogs(const model::LogBatch& batch) override {
    return Use([&](Store& store) { return store.AppendLogs(batch); });
  }
  absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) override {
    return Use([&](Store& store) { return store.AppendMetrics(batch); });
  }

  absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& query) override {
    return Use([&](Store& store) { return store.ListSeries(query); });
  }
  absl::StatusOr<std::vector<std::string>> ResourceKeys() override {
    return Use([](Store& store) { return store.ResourceKeys(); });
  }
  absl::StatusOr<uint64_t> NearestHour(const SeriesQuery& query, uint64_t time_nanos) override {
    return Use([&](Store& store) { return store.NearestHour(query, time_nanos); });
  }
  absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& query) override {
    return Use([&](Store& store) { return store.SelectProfiles(query); });
  }
  absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& query) override {
    return Use([&](Store& store) { return store.SelectTrace(query); });
  }
  absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& query) override {
    return Use([&](Store& store) { return store.SelectSpans(query); });
  }
  absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& query) override {
    return Use([&](Store& store) { return store.SelectLogs(query); });
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) override {
    return Use([&](Store& store) { return store.SelectMetrics(query); });
  }

  absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& query) override {
    return Use([&](Store& store) { return store.ListMetrics(query); });
  }

  absl::Status DropBefore(const SignalTimes& oldest) override {
    return Use([&](Store& store) { return store.DropBefore(oldest); });
  }
  absl::Status Maintain(uint64_t now_nanos) override {
    return Use([&](Store& store) { return store.Maintain(now_nanos); });
  }
  absl::StatusOr<std::vector<HourBytes>> BytesByHour() override {
    return Use([&](Store& store) { return store.BytesByHour(); });
  }
  absl::StatusOr<StoreStats> Stats() override {
    return Use([&](Store& store) { return store.Stats(); });
  }
  absl::Status AddNote(std::string_view key, std::string_view text) override {
    return Use([&](Store& store) { return store.AddNote(key, text); });
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) override {
    return Use([&](Store& store) { return store.FindNote(key); });
  }
  // 0 while no store is open: all queries fail then.
  uint64_t Watermark() override {
    const Lease lease(this);
    return lease.get() == nullptr ? 0 : lease.get()->Watermark();
  }

 private:
  // Keeps the open store from being closed. get() is nullptr if none is open.
  class Lease {
   public:
    explicit Lease(ReopeningStore* owner) : owner_(*owner) {
      const base::MutexLock lock(owner_.mutex_);
      store_ = owner_.store_.get();
      if (store_ != nullptr)
        ++owner_.lease_count_;
    }
    ~Lease() {
      if (store_ == nullptr)
        return;
      // Notify under the lock: the thread that waits for the last lease may destroy the owner next.
      const base::MutexLock lock(owner_.mutex_);
      if (--owner_.lease_count_ == 0)
        owner_.returned_.NotifyAll();
    }
    Lease(const Lease&) = delete;

    Store* get() const { return store_; }

   private:
    ReopeningStore& owner_;
    Store* store_ = nullptr;
  };

  template <typename Call>
  std::invoke_result_t<Call, Store&> Use(Call call) {
    const Lease lease(this);
    if (lease.get() == nullptr) {
      return absl::UnavailableError(
          "storage is recovering from a failed write; no acknowledged data is lost; retry");
    }
    return call(*lease.get());
  }

  void Work();
  absl::Status Reopen();
  void Close();
  absl::Status OpenOnce();
  void NoteBroken();

  const ReopeningOptions options_;
  base::Mutex mutex_;
  base::CondVar wake_;
  base::CondVar returned_;
  std::unique_ptr<Store> store_ FLARE_GUARDED_BY(mutex_);  // nullptr while it is being reopened
  uint64_t lease_count_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_broken_ FLARE_GUARDED_BY(mutex_) = false;
  bool stopping_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread worker_;
};

ReopeningStore::~ReopeningStore() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyOne();
  if (worker_.joinable())
    worker_.join();
  store_.reset();  // while NoteBroken can still be called
}

absl::Status ReopeningStore::Open() {
  FLARE_RETURN_IF_ERROR(OpenOnce());
  worker_ = std::thread([this] { Work(); });
  return absl::OkStatus();
}

void ReopeningStore::NoteBroken() {
  {
    const base::MutexLock lock(mutex_);
    is_broken_ = true;
  }
  wake_.NotifyOne();
}

void ReopeningStore::Work() {
  auto delay = options_.delay_min;
  Clock::time_point last_attempt;
  base::MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && !is_broken_)
      wake_.Wait(mutex_);
    if (stopping_)
      return;
    lock.Unlock();
    if (Clock::now() - last_attempt > 2 * options_.delay_max)
      delay = options_.delay_min;
    options_.on_attempt(Reopen());
    last_attempt = Clock::now();
    lock.Lock();
    const Clock::time_point next_attempt = Clock::now() + delay;
    while (!stopping_ && wake_.WaitUntil(mutex_, next_attempt)) {
    }
    if (stopping_)
      return;
    delay = std::min(2 * delay, options_.delay_max);
  }
}

absl::Status ReopeningStore::Reopen() {
  FLARE_RETURN_IF_ERROR(options_.may_open());
  Close();
  return OpenOnce();
}

void ReopeningStore::Close() {
  base::MutexLock lock(mutex_);
  // Detach the store first: with new calls arriving, the lease count might never reach zero.
  std::unique_ptr<Store> closing = std::move(store_);
  while (lease_count_ > 0)
    returned_.Wait(mutex_);
  lock.Unlock();
  closing.reset();  // may still call NoteBroken
}

absl::Status ReopeningStore::OpenOnce() {
  {
    const base::MutexLock lock(mutex_);
    is_broken_ = false;
  }
  absl::StatusOr<std::unique_ptr<Store>> opened = options_.open([this] { NoteBroken(); });
  const base::MutexLock lock(mutex_);
  if (opened.ok())
    store_ = *std::move(opened);
  else
    is_broken_ = true;
  return opened.status();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenReopeningStore(ReopeningOptions options) {
  auto store = std::make_unique<ReopeningStore>(std::move(options));
  FLARE_RETURN_IF_ERROR(store->Open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace flarestack::store
