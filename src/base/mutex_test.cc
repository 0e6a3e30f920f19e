// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace flarestack::base {
namespace {

static_assert(sizeof(Mutex) == sizeof(std::mutex));
static_assert(sizeof(MutexLock) == sizeof(std::unique_lock<std::mutex>));
static_assert(sizeof(CondVar) == sizeof(std::condition_variable));

// Fails to return if the mutex is held.
void LockOnAnotherThread(Mutex& mutex) {
  std::thread([&mutex] { const MutexLock lock(mutex); }).join();
}

class Counter {
 public:
  void Add() {
    const MutexLock lock(mutex_);
    ++value_;
    changed_.NotifyAll();
  }
  void Await(int value) {
    const MutexLock lock(mutex_);
    while (value_ < value)
      changed_.Wait(mutex_);
  }
  bool AwaitUntil(int value, std::chrono::steady_clock::time_point deadline) {
    const MutexLock lock(mutex_);
    while (value_ < value && changed_.WaitUntil(mutex_, deadline)) {
    }
    return value_ >= value;
  }
  // Adds one in a thread that needs the mutex while this one waits for it.
  void AddWithoutHolding() {
    const MutexLock lock(mutex_);
    AddMeanwhile();
    ++value_;
  }
  int value() {
    const MutexLock lock(mutex_);
    return value_;
  }

 private:
  void AddMeanwhile() FLARE_REQUIRES(mutex_) {
    const MutexUnlock unlock(mutex_);
    std::thread([this] { Add(); }).join();
  }

  Mutex mutex_;
  CondVar changed_;
  int value_ FLARE_GUARDED_BY(mutex_) = 0;
};

TEST(MutexTest, ThreadsTakeTurns) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 5000;
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&counter] {
      for (int time = 0; time < kTimes; ++time)
        counter.Add();
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(counter.value(), kThreads * kTimes);
}

TEST(MutexTest, ALockEndsWithItsScopeOrBefore) {
  Mutex mutex;
  { const MutexLock lock(mutex); }
  LockOnAnotherThread(mutex);

  MutexLock lock(mutex);
  lock.Unlock();
  LockOnAnotherThread(mutex);
  lock.Lock();
  lock.Unlock();
  LockOnAnotherThread(mutex);
}

TEST(MutexTest, AnUnlockedScopeLetsOthersIn) {
  Counter counter;
  counter.AddWithoutHolding();
  EXPECT_EQ(counter.value(), 2);
}

TEST(CondVarTest, AWaitEndsWithTheNotification) {
  Counter counter;
  std::thread adding([&counter] {
    counter.Add();
    counter.Add();
  });
  counter.Await(2);
  EXPECT_EQ(counter.value(), 2);
  adding.join();
}

TEST(CondVarTest, AWaitWithADeadlineEndsWithIt) {
  Counter counter;
  EXPECT_FALSE(counter.AwaitUntil(1, std::chrono::steady_clock::now()));
  std::thread adding([&counter] { counter.Add(); });
  EXPECT_TRUE(counter.AwaitUntil(1, std::chrono::steady_clock::now() + std::chrono::hours(1)));
  adding.join();
}

TEST(CondVarTest, AWaitForATimeEndsWithoutANotification) {
  Mutex mutex;
  CondVar changed;
  const MutexLock lock(mutex);
  while (changed.WaitFor(mutex, std::chrono::milliseconds(1))) {
  }
}

}  // namespace
}  // namespace flarestack::base
