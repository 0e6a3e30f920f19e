// SPDX-License-Identifier: Apache-2.0
//
// Mutexes that clang's thread-safety analysis understands. With clang, the build fails where a
// guarded member is used without its mutex; g++ ignores the annotations. The types add no state and
// no work to those of the standard library.
//
//   class Mailbox {
//    public:
//     void Put(std::string letter) {
//       const base::MutexLock lock(mutex_);
//       letters_.push_back(std::move(letter));
//       arrived_.NotifyOne();
//     }
//     std::string Take() {
//       const base::MutexLock lock(mutex_);
//       while (letters_.empty())
//         arrived_.Wait(mutex_);
//       return TakeFirst();
//     }
//
//    private:
//     std::string TakeFirst() FLARE_REQUIRES(mutex_);
//
//     base::Mutex mutex_;
//     base::CondVar arrived_;
//     std::deque<std::string> letters_ FLARE_GUARDED_BY(mutex_);
//   };
//
// Limits of the analysis: it skips constructors and destructors, and it checks a lambda as a
// function of its own that holds nothing. A lambda that is called with the mutex held is annotated:
// `[&](int count) FLARE_REQUIRES(mutex_) { ... }`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define FLARE_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define FLARE_THREAD_ANNOTATION(attribute)
#endif

// A member that is read and written only with the mutex; with PT_, what the pointer points to.
#define FLARE_GUARDED_BY(mutex) FLARE_THREAD_ANNOTATION(guarded_by(mutex))
#define FLARE_PT_GUARDED_BY(mutex) FLARE_THREAD_ANNOTATION(pt_guarded_by(mutex))
// A function whose caller holds the mutex, or must not hold it.
#define FLARE_REQUIRES(...) FLARE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define FLARE_EXCLUDES(...) FLARE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
// A function that locks the mutex and returns with it, or that unlocks it.
#define FLARE_ACQUIRE(...) FLARE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define FLARE_RELEASE(...) FLARE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
// A function that is correct for a reason that the analysis cannot see. Say which.
#define FLARE_NO_THREAD_SAFETY_ANALYSIS FLARE_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace flarestack::base {

class FLARE_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Prefer MutexLock.
  void Lock() FLARE_ACQUIRE() { mutex_.lock(); }
  void Unlock() FLARE_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  friend class MutexLock;

  std::mutex mutex_;
};

// Holds a mutex until the end of the scope, except between Unlock() and Lock().
class FLARE_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FLARE_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() FLARE_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() FLARE_RELEASE() { lock_.unlock(); }
  void Lock() FLARE_ACQUIRE() { lock_.lock(); }

 private:
  std::unique_lock<std::mutex> lock_;
};

// The opposite: releases a mutex that the caller holds, until the end of the scope. For functions
// with FLARE_REQUIRES that do something slow in between.
class FLARE_THREAD_ANNOTATION(scoped_lockable) MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) FLARE_RELEASE(mutex) : mutex_(mutex) { mutex_.Unlock(); }
  // RELEASE ends the scope for the analysis: what the constructor released is held again.
  ~MutexUnlock() FLARE_RELEASE() { mutex_.Lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex& mutex_;
};

// A wait releases the mutex and holds it again when it returns. It may return although nothing was
// notified, so it belongs into a loop that tests the condition.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void NotifyOne() noexcept { condition_.notify_one(); }
  void NotifyAll() noexcept { condition_.notify_all(); }

  void Wait(Mutex& mutex) FLARE_REQUIRES(mutex) {
    Held held(mutex);
    condition_.wait(held.lock);
  }

  // Returns false once the deadline has passed:
  //
  //   while (!is_done_ && changed_.WaitUntil(mutex_, deadline)) {
  //   }
  template <typename Clock, typename Duration>
  bool WaitUntil(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& deadline)
      FLARE_REQUIRES(mutex) {
    Held held(mutex);
    return condition_.wait_until(held.lock, deadline) == std::cv_status::no_timeout;
  }

  // Returns false once the time is over. In a loop, WaitUntil() keeps to one deadline.
  template <typename Rep, typename Period>
  bool WaitFor(Mutex& mutex, const std::chrono::duration<Rep, Period>& time) FLARE_REQUIRES(mutex) {
    Held held(mutex);
    return condition_.wait_for(held.lock, time) == std::cv_status::no_timeout;
  }

 private:
  // The caller's lock in the form that std::condition_variable requires.
  struct Held {
    explicit Held(Mutex& mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Held() { lock.release(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable condition_;
};

}  // namespace flarestack::base
