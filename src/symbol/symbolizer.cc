// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbolizer.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace flarestack::symbol {
namespace {

// Ids and paths come from outside, and many of them are kept.
constexpr size_t kKeyBytesMax = 256;
constexpr size_t kPathBytesMax = 4096;

using TimePoint = std::chrono::steady_clock::time_point;
using Table = std::shared_ptr<const SymbolTable>;

// The last search for a module, or a pending one.
struct Known {
  enum class Step { kWaiting, kRunning, kDone };

  bool IsMissing(TimePoint now) const {
    return step == Step::kDone && !status.ok() && now < retry_at;
  }

  Module module;
  Step step = Step::kDone;
  bool is_outdated = false;  // set while it runs: its result may be outdated
  absl::Status status = absl::UnknownError("not looked up");
  std::vector<Attempt> attempts;
  TimePoint retry_at;  // no new search before this time
};

std::vector<std::string> KeysOf(const std::string& key, const Table& table) {
  std::vector<std::string> keys = {key};
  if (table != nullptr) {
    for (const FileId& id : table->ids()) {
      if (std::string other = KeyOf(id); !other.empty() && other != key)
        keys.push_back(std::move(other));
    }
  }
  return keys;
}

}  // namespace

struct Symbolizer::Impl {
  explicit Impl(SymbolizerOptions from) : options(std::move(from)), cache(options.cache) {
    if (options.now == nullptr)
      options.now = [] { return std::chrono::steady_clock::now(); };
    for (int i = 0; i < std::max(1, options.threads); ++i)
      threads.emplace_back([this] { Work(); });
  }

  void Work();
  bool IsSettled(const std::string& key) FLARE_EXCLUDES(mutex);
  // kDone if the module is not known.
  Known::Step StepOf(const std::string& key) const FLARE_REQUIRES(mutex);
  bool AreDone(const std::vector<std::string>& keys) const FLARE_REQUIRES(mutex);
  void MakeRoom() FLARE_REQUIRES(mutex);
  // Releases the mutex while the search runs. The module must be known and no search for it
  // running.
  void Run(const std::string& key) FLARE_REQUIRES(mutex);
  absl::Status Keep(const std::string& key, std::string bytes) FLARE_EXCLUDES(mutex);
  void RemoveTables(const std::vector<std::string>& keys);
  TimePoint RetryAt(const SearchResult& result) const;

  SymbolizerOptions options;
  TableCache cache;
  // Starts from the clock, because clients may remember numbers of an earlier process.
  std::atomic<uint64_t> generation =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count());
  std::atomic<bool> is_stopping = false;
  base::Mutex mutex;
  base::CondVar wake;     // new work, or shutdown
  base::CondVar changed;  // a search has ended, or the queue is empty
  std::unordered_map<std::string, Known> known FLARE_GUARDED_BY(mutex);  // by key
  // Keys. Skips a key that is no longer waiting.
  std::deque<std::string> queue FLARE_GUARDED_BY(mutex);
  int running_count FLARE_GUARDED_BY(mutex) = 0;
  std::vector<std::thread> threads;
};

void Symbolizer::Impl::Work() {
  const base::MutexLock lock(mutex);
  while (true) {
    while (!is_stopping && queue.empty())
      wake.Wait(mutex);
    if (is_stopping)
      return;
    const std::string key = std::move(queue.front());
    queue.pop_front();
    if (const auto at = known.find(key);
        at != known.end() && at->second.step == Known::Step::kWaiting) {
      Run(key);
    }
    changed.NotifyAll();
  }
}

Known::Step Symbolizer::Impl::StepOf(const std::string& key) const {
  const auto at = known.find(key);
  return at == known.end() ? Known::Step::kDone : at->second.step;
}

bool Symbolizer::Impl::AreDone(const std::vector<std::string>& keys) const {
  for (const std::string& key : keys) {
    if (StepOf(key) != Known::Step::kDone)
      return false;
  }
  return true;
}

bool Symbolizer::Impl::IsSettled(const std::string& key) {
  bool is_known = false;
  {
    const base::MutexLock lock(mutex);
    if (const auto at = known.find(key); at != known.end()) {
      const Known& last = at->second;
      if (last.step != Known::Step::kDone || last.IsMissing(options.now()))
        return true;
      if (options.now() >= last.retry_at)
        return false;
      is_known = true;
    }
  }
  if (is_known)
    return cache.Has(key);  // incoming profiles must not wait for a table to be read
  const Table table = cache.Find(key);
  if (table == nullptr)
    return false;
  // A table from an earlier process. A poor one triggers a new search; a good one is checked only
  // once.
  const std::optional<Quality> quality = table->BestQuality();
  if (!quality.has_value() || !IsGood(*quality))
    return false;
  const base::MutexLock lock(mutex);
  MakeRoom();
  known.try_emplace(key, Known{.status = absl::OkStatus(), .retry_at = TimePoint::max()});
  return true;
}

// An evicted module is searched for again when it is next wanted.
void Symbolizer::Impl::MakeRoom() {
  if (known.size() < options.known_max)
    return;
  const TimePoint now = options.now();
  const size_t rest = options.known_max / 10 * 9;
  for (const bool only_expired : {true, false}) {
    for (auto at = known.begin(); at != known.end() && known.size() > rest;) {
      const bool may_go =
          at->second.step == Known::Step::kDone && (!only_expired || now >= at->second.retry_at);
      at = may_go ? known.erase(at) : std::next(at);
    }
  }
}

TimePoint Symbolizer::Impl::RetryAt(const SearchResult& result) const {
  if (result.is_good)
    return TimePoint::max();
  // There is a table, though a poor one. So the retry can wait, even if a source was unreachable.
  if (result.status.ok())
    return options.now() + options.retry_unknown;
  if (result.is_unreachable || absl::IsUnavailable(result.status))
    return options.now() + options.retry_unreachable;
  if (absl::IsFailedPrecondition(result.status))
    return options.now() + options.retry_failed;
  return options.now() + options.retry_unknown;
}

void Symbolizer::Impl::Run(const std::string& key) {
  Known& entry = known.at(key);  // not removed while the search runs
  entry.step = Known::Step::kRunning;
  ++running_count;
  SearchResult result;
  bool is_again = false;
  do {
    entry.is_outdated = false;
    const Module module = entry.module;
    const base::MutexUnlock unlock(mutex);
    if (std::exchange(is_again, true))
      RemoveTables(KeysOf(key, cache.Find(key)));  // from the previous iteration
    result = SearchTable(module, options.sources, options.make_table,
                         [this] { return is_stopping.load(); });
    if (result.status.ok()) {
      result.status = Keep(key, std::move(result.table_bytes));
      result.is_good = result.is_good && result.status.ok();
    }
  } while (entry.is_outdated && !is_stopping);
  --running_count;
  if (absl::IsCancelled(result.status)) {
    known.erase(key);
  } else {
    entry.retry_at = RetryAt(result);
    entry.step = Known::Step::kDone;
    entry.status = std::move(result.status);
    entry.attempts = std::move(result.attempts);
  }
  changed.NotifyAll();
}

// Also stores the table under the keys of all its ids, unless they have a better one.
absl::Status Symbolizer::Impl::Keep(const std::string& key, std::string bytes) {
  const absl::StatusOr<Table> table = cache.Add(key, std::move(bytes));
  if (!table.ok())
    return absl::UnavailableError(
        base::StrCat("the table cannot be stored: ", base::Message(table.status())));
  for (const std::string& other : KeysOf(key, *table)) {
    const Table there = other == key ? nullptr : cache.Find(other);
    if (other == key || (there != nullptr && there->BestQuality() <= (*table)->BestQuality()))
      continue;
    cache.AddAlias(other, key);
    const base::MutexLock lock(mutex);
    if (const auto at = known.find(other);
        at != known.end() && at->second.step == Known::Step::kDone) {
      known.erase(at);
    }
  }
  ++generation;
  return absl::OkStatus();
}

void Symbolizer::Impl::RemoveTables(const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    cache.Remove(key);
  ++generation;
}

Symbolizer::Symbolizer(SymbolizerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

Symbolizer::~Symbolizer() {
  {
    const base::MutexLock lock(impl_->mutex);
    impl_->is_stopping = true;
  }
  impl_->wake.NotifyAll();
  for (const std::unique_ptr<SymbolSource>& source : impl_->options.sources)
    source->Cancel();
  for (std::thread& thread : impl_->threads)
    thread.join();
}

Table Symbolizer::Ready(const std::string& key) { return impl_->cache.Find(key); }

void Symbolizer::Want(const Module& module) {
  const std::string key = module.Key();
  if (key.empty() || key.size() > kKeyBytesMax || impl_->IsSettled(key))
    return;
  const base::MutexLock lock(impl_->mutex);
  if (impl_->queue.size() >= impl_->options.waiting_max)
    return;
  impl_->MakeRoom();
  Known& entry = impl_->known[key];
  if (entry.step != Known::Step::kDone)
    return;  // already queued or running
  entry.step = Known::Step::kWaiting;
  entry.module = module;
  if (entry.module.path.size() > kPathBytesMax)
    entry.module.path.resize(kPathBytesMax);
  impl_->queue.push_back(key);
  impl_->wake.NotifyOne();
}

absl::StatusOr<Table> Symbolizer::Find(const Module& module, std::vector<Attempt>* attempts) {
  const std::string key = module.Key();
  if (key.empty() || key.size() > kKeyBytesMax)
    return absl::InvalidArgumentError("the module has no valid build id");
  Table at_hand = impl_->cache.Find(key);
  absl::Status status;
  {
    const base::MutexLock lock(impl_->mutex);
    // A poor table of an earlier process is a reason to look for a better one, once.
    if (at_hand != nullptr && !impl_->known.contains(key) &&
        !IsGood(at_hand->BestQuality().value_or(Quality::kEhFrame)))
      at_hand = nullptr;
    if (at_hand == nullptr && impl_->StepOf(key) == Known::Step::kRunning) {
      while (impl_->StepOf(key) == Known::Step::kRunning)
        impl_->changed.Wait(impl_->mutex);
    } else if (at_hand == nullptr) {
      impl_->MakeRoom();
      Known& entry = impl_->known[key];
      entry.module = module;
      if (!entry.IsMissing(impl_->options.now()))
        impl_->Run(key);
    }
    const auto at = impl_->known.find(key);
    if (at != impl_->known.end() && attempts != nullptr)
      *attempts = at->second.attempts;
    status = at == impl_->known.end() ? absl::CancelledError("the search was stopped")
                                      : at->second.status;
  }
  if (Table table = at_hand != nullptr ? at_hand : impl_->cache.Find(key); table != nullptr)
    return table;
  FLARE_RETURN_IF_ERROR(status);
  return absl::UnavailableError("the table was found, but evicted from the cache");
}

void Symbolizer::Forget(const std::string& key) {
  const std::vector<std::string> keys = KeysOf(key, impl_->cache.Find(key));
  {
    // Before the tables are removed: a search that ends in between would add its table again.
    const base::MutexLock lock(impl_->mutex);
    for (const std::string& each : keys) {
      const auto at = impl_->known.find(each);
      if (at == impl_->known.end())
        continue;
      if (at->second.step == Known::Step::kDone)
        impl_->known.erase(at);
      else
        at->second.is_outdated = true;
    }
  }
  impl_->RemoveTables(keys);
}

ModuleState Symbolizer::State(const std::string& key) const {
  ModuleState state;
  {
    const base::MutexLock lock(impl_->mutex);
    if (const auto at = impl_->known.find(key); at != impl_->known.end()) {
      const Known& last = at->second;
      state.path = last.module.path;
      state.attempts = last.attempts;
      if (last.step != Known::Step::kDone)
        state.kind = ModuleState::Kind::kWaiting;
      else if (absl::IsFailedPrecondition(last.status))
        state.kind = ModuleState::Kind::kFailed;
      else if (!last.status.ok())
        state.kind = ModuleState::Kind::kMissing;
    }
  }
  if (const Table table = impl_->cache.Find(key); table != nullptr) {
    state.kind = ModuleState::Kind::kReady;
    state.table_bytes = table->bytes().size();
    state.function_count = table->function_count();
  }
  return state;
}

uint64_t Symbolizer::generation() const { return impl_->generation; }

bool Symbolizer::Await(const std::vector<std::string>& keys, TimePoint deadline) const {
  const base::MutexLock lock(impl_->mutex);
  while (!impl_->AreDone(keys) && impl_->changed.WaitUntil(impl_->mutex, deadline)) {
  }
  return impl_->AreDone(keys);
}

void Symbolizer::AwaitIdle() {
  const base::MutexLock lock(impl_->mutex);
  while (!impl_->queue.empty() || impl_->running_count > 0)
    impl_->changed.Wait(impl_->mutex);
}

}  // namespace flarestack::symbol
