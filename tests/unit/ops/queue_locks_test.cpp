// Locks of our own: nobody is inside with another, and who queued first goes first.
#include "core/ops/lock_objects.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>
#include <type_traits>
#include <vector>

namespace syncmeter::ops {
namespace {

using testing::ElementsAre;

template <class Lock> Lock lock_for(unsigned lanes) {
  if constexpr (std::is_constructible_v<Lock, sharers>) return Lock{sharers{.lanes = lanes}};
  else return Lock{};
}

template <class Lock> struct queue_locks : testing::Test {};
using all_queue_locks = testing::Types<mcs_lock, clh_lock, ticket_backoff_lock>;
TYPED_TEST_SUITE(queue_locks, all_queue_locks);

// A plain counter: an update lost, or a race that ThreadSanitizer sees, is a lock that let two in.
// Yields, so that threads meet in it on one processing unit too.
TYPED_TEST(queue_locks, LetsInOneAtATime) {
  constexpr unsigned lanes = 3, sections = 300;
  auto lock = lock_for<TypeParam>(lanes);
  unsigned count = 0, most_inside = 0, inside = 0;
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&, lane] {
      for (unsigned i = 0; i < sections; ++i) {
        lock.lock(lane);
        most_inside = std::max(most_inside, ++inside);
        const unsigned seen = count;
        if (i % 10 == 0) std::this_thread::yield();
        count = seen + 1;
        --inside;
        lock.unlock(lane);
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, lanes * sections);
  EXPECT_EQ(most_inside, 1U);
}

TYPED_TEST(queue_locks, ServesInTheOrderOfArrival) {
  constexpr unsigned lanes = 4;
  auto lock = lock_for<TypeParam>(lanes);
  std::vector<unsigned> served;
  std::vector<std::thread> threads;
  lock.lock(0);
  // Each is seen in line before the next one starts.
  for (const unsigned lane : {3U, 1U, 2U}) {
    const auto last = lock.last_in_line();
    threads.emplace_back([&, lane] {
      lock.lock(lane);
      served.push_back(lane);
      lock.unlock(lane);
    });
    while (lock.last_in_line() == last) std::this_thread::yield();
  }
  lock.unlock(0);
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(served, ElementsAre(3, 1, 2));
}

// Lanes are numbered through the team, and those of one lock need not begin at 0.
TYPED_TEST(queue_locks, TakesLanesByTheirNumbersInTheTeam) {
  auto lock = lock_for<TypeParam>(2);
  for (const unsigned lane : {6U, 7U, 7U, 6U}) {
    lock.lock(lane);
    lock.unlock(lane);
  }
  std::vector<unsigned> served;
  lock.lock(6);
  const auto last = lock.last_in_line();
  std::thread other([&] {
    lock.lock(7);
    served.push_back(7);
    lock.unlock(7);
  });
  while (lock.last_in_line() == last) std::this_thread::yield();
  served.push_back(6);
  lock.unlock(6);
  other.join();
  EXPECT_THAT(served, ElementsAre(6, 7));
}

}  // namespace
}  // namespace syncmeter::ops
