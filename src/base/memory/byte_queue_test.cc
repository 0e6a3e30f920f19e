// SPDX-License-Identifier: Apache-2.0
#include "base/memory/byte_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/testing/eventually.h"

namespace flarestack::base {
namespace {

using ::testing::ElementsAre;

ByteQueue::Clock::time_point Later() { return ByteQueue::Clock::now() + std::chrono::hours(1); }

class ByteQueueTest : public ::testing::Test {
 protected:
  struct Request {
    ByteLease lease;
    std::promise<bool> response;
    std::future<bool> granted = response.get_future();
  };

  // Records the names of granted requests, in order.
  std::unique_ptr<Request> RequestBytes(int name, uint64_t bytes,
                                        ByteQueue::Clock::time_point until) {
    auto request = std::make_unique<Request>();
    request->lease = ByteLease(&budget_);
    queue_.Wait({.lease = &request->lease, .bytes = bytes, .until = until},
                [this, name, requested = request.get()](bool is_granted) {
                  {
                    const MutexLock lock(mutex_);
                    if (is_granted)
                      served_.push_back(name);
                  }
                  requested->response.set_value(is_granted);
                });
    return request;
  }

  ByteBudget budget_{100};
  std::vector<int> served() {
    const MutexLock lock(mutex_);
    return served_;
  }

  Mutex mutex_;
  std::vector<int> served_ FLARE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Request>> waiting_;
  ByteQueue queue_{&budget_};  // last: its thread completes the requests above
};

TEST_F(ByteQueueTest, GrantsImmediatelyIfThereIsRoom) {
  const auto request = RequestBytes(1, 100, Later());
  EXPECT_TRUE(request->granted.get());
  EXPECT_EQ(request->lease.total_bytes(), 100u);
  EXPECT_EQ(request->lease.held_bytes(), 0u);
  EXPECT_TRUE(request->lease.GrowTo(60));
  EXPECT_EQ(budget_.current_bytes(), 100u);
}

TEST_F(ByteQueueTest, ServesTheOldestRequestFirst) {
  const auto first = RequestBytes(1, 100, Later());
  const auto large = RequestBytes(2, 90, Later());
  const auto small = RequestBytes(3, 10, Later());  // must wait behind the large one
  EXPECT_EQ(queue_.stats().waiting, 2u);
  EXPECT_EQ(queue_.stats().waiting_bytes, 100u);
  first->lease.ShrinkReserve(20);
  first->lease.Release();
  EXPECT_TRUE(large->granted.get());
  EXPECT_TRUE(small->granted.get());
  EXPECT_THAT(served(), ElementsAre(1, 2, 3));
  EXPECT_EQ(budget_.rejected_count(), 0u);
}

TEST_F(ByteQueueTest, RejectsRequestsThatWaitTooLong) {
  const auto first = RequestBytes(1, 100, Later());
  const auto patient = RequestBytes(2, 50, Later());
  const auto hasty = RequestBytes(3, 1, ByteQueue::Clock::now() + std::chrono::milliseconds(1));
  EXPECT_FALSE(hasty->granted.get());
  EXPECT_EQ(hasty->lease.total_bytes(), 0u);
  EXPECT_EQ(budget_.rejected_count(), 1u);
  first->lease.Release();
  EXPECT_TRUE(patient->granted.get());
}

TEST_F(ByteQueueTest, RejectsImpossibleRequestsImmediately) {
  const auto first = RequestBytes(1, 100, Later());
  EXPECT_FALSE(RequestBytes(2, 101, Later())->granted.get());
  EXPECT_FALSE(RequestBytes(3, 1, ByteQueue::Clock::now())->granted.get());
}

// The queue has served nothing for a while, so it does not expect to serve a new request in time.
TEST_F(ByteQueueTest, RejectsImmediatelyIfTheQueueIsStuck) {
  const auto first = RequestBytes(1, 100, Later());
  const auto second = RequestBytes(2, 10, Later());
  const auto begin = ByteQueue::Clock::now();
  while (true) {
    const auto until = ByteQueue::Clock::now() + std::chrono::seconds(30);
    auto next = RequestBytes(3, 1, until);
    if (next->granted.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) {
      EXPECT_FALSE(next->granted.get());
      break;
    }
    waiting_.push_back(std::move(next));
    ASSERT_LT(ByteQueue::Clock::now() - begin, std::chrono::seconds(30));
  }
  first->lease.Release();
  EXPECT_TRUE(second->granted.get());
}

TEST_F(ByteQueueTest, BlocksACallerUntilItsTurn) {
  auto first = RequestBytes(1, 100, Later());
  std::thread other([&] {
    ByteLease lease(&budget_);
    EXPECT_TRUE(queue_.WaitHere({.lease = &lease, .bytes = 40, .until = Later()}));
    EXPECT_EQ(lease.total_bytes(), 40u);
  });
  EXPECT_TRUE(testing::Eventually([&] { return queue_.stats().waiting > 0; }));
  first->lease.Release();
  other.join();
  EXPECT_EQ(budget_.current_bytes(), 0u);
}

TEST(ByteQueueEndTest, RejectsWaitingRequestsOnDestruction) {
  ByteBudget budget(10);
  ByteLease holder(&budget);
  ASSERT_TRUE(holder.Grow(10));
  ByteLease waiting(&budget);
  std::promise<bool> response;
  {
    ByteQueue queue(&budget);
    queue.Wait({.lease = &waiting, .bytes = 5, .until = Later()},
               [&](bool is_granted) { response.set_value(is_granted); });
  }
  EXPECT_FALSE(response.get_future().get());
  EXPECT_EQ(waiting.total_bytes(), 0u);
}

TEST(ByteLeaseReserveTest, SpendsTheReserveBeforeTheBudget) {
  ByteBudget budget(100);
  ByteLease lease(&budget);
  ASSERT_TRUE(budget.TakeIfFree(50));
  lease.Reserve(50);
  ByteLease other(&budget);
  ASSERT_TRUE(other.Grow(50));
  EXPECT_TRUE(lease.GrowTo(50));
  EXPECT_FALSE(lease.GrowTo(51));
  lease.ShrinkTo(20);  // returned to the budget, not to the reserve
  EXPECT_EQ(lease.total_bytes(), 20u);
  EXPECT_EQ(budget.current_bytes(), 70u);
  lease.Release();
  EXPECT_EQ(budget.current_bytes(), 50u);
}

}  // namespace
}  // namespace flarestack::base
