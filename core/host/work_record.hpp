// What the threads of a construct did in a sample, so that a lost iteration, a task done twice or a
// thread that never came fails it: regions, loops and tasks (the object of their ops).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cell_object.hpp"
#include "core/host/lane_memory.hpp"
#include "core/op.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter {

/// One thread's part, on lines of its own. What is counted has a number, from 0 in each op: their
/// sum tells an item that was done twice from one in the place of another.
struct alignas(128) thread_work {
  std::uint64_t entered = 0;
  std::uint64_t items = 0;
  std::uint64_t numbers = 0;
  std::uint64_t wrong = 0;

  void add(std::uint64_t number) { add(1, number); }
  void add(std::uint64_t count, std::uint64_t sum) {
    items += count;
    numbers += sum;
  }
};

class work_record {
 public:
  explicit work_record(sharers who);

  /// The one of the sample that runs: a region that is given nothing finds it here. A variable that
  /// it were given would be one more line to fetch, 8 % of a region on two processing units.
  static inline work_record* current = nullptr;

  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] int threads() const { return static_cast<int>(lanes_); }
  /// Half of the lanes, at least one.
  [[nodiscard]] int half() const { return lanes_ > 1 ? static_cast<int>(lanes_ / 2) : 1; }
  /// point::size; 1 where the point has none.
  [[nodiscard]] unsigned size() const { return size_; }
  /// Items of all lanes, so many each.
  [[nodiscard]] std::uint64_t of_all(std::uint64_t each) const { return lanes_ * each; }

  [[nodiscard]] thread_work& of(unsigned thread) { return work_[thread]; }
  [[nodiscard]] thread_work& of(int thread) { return of(static_cast<unsigned>(thread)); }

  /// Item `number` of `all`, which come one after the other: the same thread or another one is
  /// next. A word on a line that all threads write.
  void take_turn(thread_work& mine, std::uint64_t number, std::uint64_t all) {
    mine.wrong += next_ != number ? 1 : 0;
    next_ = number + 1 == all ? 0 : number + 1;
  }
  /// A value that all threads may read, another one for each op.
  std::uint64_t renew_value() { return ++value_; }
  [[nodiscard]] const std::uint64_t& value() const { return value_; }
  /// Lane 0's result of an op.
  void add_result(bool right) {
    work_[0].add(0);
    work_[0].wrong += right ? 0 : 1;
  }
  /// What tasks depend on.
  [[nodiscard]] char* token() { return &token_; }

  /// One thread's work of point::gap_us, by the clock.
  void spend_gap();
  /// Work of point::section_ns.
  void work() const { ops::spend(work_steps_); }
  /// Whether the work that follows is to be done by a team, not by one thread: asked for, and
  /// taken.
  void work_in_team() { in_team_ = true; }
  bool take_team() { return std::exchange(in_team_, false); }

  /// What is wrong after `ops` ops that each had so many items.
  [[nodiscard]] std::string check_items(std::uint64_t ops, std::uint64_t items_per_op) const;
  /// The same where all items have number 0, of all ops.
  [[nodiscard]] std::string check_count(std::uint64_t items) const { return check_items(items, 1); }
  /// What is wrong where each of the first `threads` threads enters each op.
  [[nodiscard]] std::string check_entered(std::uint64_t ops, unsigned threads) const;
  /// The same of so many regions, each after a gap, before which each thread has entered once.
  /// Without regions (a baseline) there are gaps alone.
  [[nodiscard]] std::string check_gaps(std::uint64_t gaps, std::uint64_t regions) const;

 private:
  unsigned lanes_, size_;
  std::int64_t gap_ns_;
  std::uint64_t work_steps_;
  std::vector<thread_work, lane_allocator<thread_work>> work_;
  // What lane 0 writes between regions, apart from what the threads of one read: on one line each
  // gap would send it to all of them again, and a region after 1 us took 20 % longer.
  alignas(128) bool in_team_ = false;
  std::uint64_t gaps_ = 0;
  std::int64_t spent_ns_ = 0;
  alignas(128) std::uint64_t next_ = 0;
  alignas(128) std::uint64_t value_ = 0;
  alignas(128) char token_ = 0;
};

namespace ops {

/// An op that is one construct, in a function of its own, so that both sides of a loop hold the
/// same of it whatever the compiler makes of the copies.
template <class Op> struct region_op : self_paired<region_op<Op>> {
  using object = work_record;
  SM_FN static void common(auto& lane) { Op::step(lane.object()); }
};

consteval op_info region_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::region,
          .unroll = 1,
          .communicates = true,
          .host_lane = true,
          .note = note,
          .starts_team = true};
}

/// The ops that stand for the others in the studies of every op.
consteval op_info in_quick(const op_info& info) { return info.with(&op_info::in_quick, true); }

// Threads that a runtime starts in the middle of a sample are where lane 0 is, unless nothing is
// bound.
consteval op_info own_region_info(std::string_view name, std::string_view note,
                                  unsigned min_lanes) {
  op_info info = region_info(name, note);
  info.own_threads = true;
  info.min_lanes = min_lanes;
  return info;
}

}  // namespace ops

}  // namespace syncmeter
