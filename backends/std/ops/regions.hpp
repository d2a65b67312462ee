// Fork and join by C++ itself. Lane 0 runs the loop and does a share of each op. Started threads or
// pool jobs do the remaining shares. test - baseline == one more op, until lane 0 knows that all
// shares are done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/host/work_record.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::own_region_info;
using syncmeter::ops::region_op;

/// An op in which a separate thread does each share once.
template <class Op> struct thread_op : region_op<Op> {
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_entered(use.ops, use.lanes);
  }
};

/// Starts and joins a thread per share. The end of scope joins std::jthread, but std::thread needs
/// an explicit join.
template <class Thread> SM_FN void start_and_join(work_record& record) {
  std::vector<Thread> others;
  others.reserve(record.lanes() - 1);
  for (unsigned lane = 1; lane < record.lanes(); ++lane)
    others.emplace_back([&record, lane] { ++record.of(lane).entered; });
  ++record.of(0U).entered;
  if constexpr (std::is_same_v<Thread, std::thread>) {
    for (Thread& other : others) other.join();
  }
}

struct thread_create_join : thread_op<thread_create_join> {
  static constexpr op_info info = own_region_info(
      "thread_create_join", "starts a std::thread for each other thread, and joins them", 2);
  SM_LOOP static void step(work_record& record) { start_and_join<std::thread>(record); }
};

struct jthread_create_join : thread_op<jthread_create_join> {
  static constexpr op_info info =
      own_region_info("jthread_create_join",
                      "starts a std::jthread for each other thread, and ends their scope", 2);
  SM_LOOP static void step(work_record& record) { start_and_join<std::jthread>(record); }
};

struct async_get : thread_op<async_get> {
  static constexpr op_info info = own_region_info(
      "async_get", "std::async(std::launch::async) for each other thread, and get", 2);
  SM_LOOP static void step(work_record& record) {
    std::vector<std::future<void>> others;
    others.reserve(record.lanes() - 1);
    for (unsigned lane = 1; lane < record.lanes(); ++lane)
      others.push_back(
          std::async(std::launch::async, [&record, lane] { ++record.of(lane).entered; }));
    ++record.of(0U).entered;
    for (std::future<void>& other : others) other.get();
  }
};

/// A typical user-written pool: threads sleep at one queue with functions.
class job_pool {
 public:
  explicit job_pool(unsigned threads) {
    for (unsigned thread = 1; thread <= threads; ++thread)
      threads_.emplace_back([this, thread] { serve(thread); });
  }
  ~job_pool() {
    {
      const std::lock_guard hold{mutex_};
      ends_ = true;
    }
    has_job_.notify_all();
    for (std::thread& each : threads_) each.join();
  }
  job_pool(const job_pool&) = delete;
  job_pool& operator=(const job_pool&) = delete;

  /// Queues a job, which gets the number of its thread, from 1.
  void submit(std::function<void(unsigned)> job) {
    {
      const std::lock_guard hold{mutex_};
      ++unfinished_;
      jobs_.push_back(std::move(job));
    }
    has_job_.notify_one();
  }
  /// Waits until all jobs are done.
  void wait() {
    std::unique_lock hold{mutex_};
    is_done_.wait(hold, [this] { return unfinished_ == 0; });
  }

 private:
  void serve(unsigned thread) {
    std::unique_lock hold{mutex_};
    for (;;) {
      has_job_.wait(hold, [this] { return ends_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void(unsigned)> job = std::move(jobs_.front());
      jobs_.pop_front();
      hold.unlock();
      job(thread);
      hold.lock();
      if (--unfinished_ == 0) is_done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable has_job_, is_done_;
  std::deque<std::function<void(unsigned)>> jobs_;
  std::size_t unfinished_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

// Any thread in the pool may do a share.
struct pool_submit_wait : region_op<pool_submit_wait> {
  static constexpr op_info info = own_region_info(
      "pool_submit_wait",
      "a job for each other thread to a pool of threads (mutex and condition variables), and wait",
      2);
  struct object : work_record {
    explicit object(sharers who) : work_record{who}, pool{who.lanes - 1} {}
    job_pool pool;
  };
  SM_LOOP static void step(object& record) {
    for (unsigned lane = 1; lane < record.lanes(); ++lane)
      record.pool.submit([&record, lane](unsigned thread) { record.of(thread).add(lane); });
    record.of(0U).add(0);
    record.pool.wait();
  }
  static std::string check(const object& record, const object_use& use) {
    return record.check_items(use.ops, use.lanes);
  }
};

}  // namespace syncmeter::standard::ops
