// OpenMP parallel regions. Lane 0 alone runs the loop. The threads of a region are the lanes, with
// the rig's binding. test - baseline == one more region: fork, one line written by each thread,
// join.
#pragma once

#include <omp.h>

#include <string>
#include <string_view>

#include "backends/omp/first_region.hpp"
#include "core/host/work_record.hpp"

namespace syncmeter::omp::ops {

using syncmeter::ops::in_quick;
using syncmeter::ops::own_region_info;
using syncmeter::ops::region_info;
using syncmeter::ops::region_op;

struct parallel_region : region_op<parallel_region> {
  static constexpr op_info info =
      in_quick(region_info("parallel_region", "an empty parallel region of all lanes: fork, join"));
  SM_LOOP static void step(work_record& record) {
#pragma omp parallel num_threads(record.threads())
    ++work_record::current->of(omp_get_thread_num()).entered;
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_entered(use.ops, use.lanes);
  }
};

// The region uses half of the runtime's threads.
struct parallel_region_fewer : region_op<parallel_region_fewer> {
  static constexpr op_info info = own_region_info(
      "parallel_region_fewer", "regions of half of the threads, after one of all", 2);
  struct object : work_record {
    explicit object(sharers who) : work_record{who} {
#pragma omp parallel num_threads(this->threads()) default(none)
      static_cast<void>(omp_get_thread_num());
    }
  };
  SM_LOOP static void step(work_record& record) {
#pragma omp parallel num_threads(record.half())
    ++work_record::current->of(omp_get_thread_num()).entered;
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_entered(use.ops, use.lanes / 2);
  }
};

// test - baseline == two regions, for half of the lanes and for all
// The cost beyond both single regions is the price of resizing.
struct region_after_resize : region_op<region_after_resize> {
  static constexpr op_info info =
      own_region_info("region_after_resize", "a region of half of the threads, then one of all", 2);
  SM_LOOP static void step(work_record& record) {
#pragma omp parallel num_threads(record.half())
    work_record::current->of(omp_get_thread_num()).add(0);
#pragma omp parallel num_threads(record.threads())
    ++work_record::current->of(omp_get_thread_num()).entered;
  }
  static std::string check(const work_record& record, const object_use& use) {
    const std::string wrong = record.check_entered(use.ops, use.lanes);
    if (!wrong.empty()) return wrong;
    return record.check_count(use.ops * (use.lanes / 2));
  }
};

// Runs within a region of one thread, like a library that a region's thread calls.
struct nested_region : region_op<nested_region> {
  static constexpr op_info info = own_region_info(
      "nested_region", "a region of all threads within a region of one thread, and that one", 1);
  SM_LOOP static void step(work_record& /*record*/) {
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(work_record::current->threads())
      ++work_record::current->of(omp_get_thread_num()).entered;
    }
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_entered(use.ops, use.lanes);
  }
};

// test - baseline == a region after --gap us of work by lane 0, while all other threads wait. The
// baseline has only the work.
// A region outside the clock comes first. A sample with a long gap has only one region, in which
// each thread would fetch lines that lane 0 just created.
struct region_after_gap {
  static constexpr op_info info = [] {
    op_info after =
        region_info("region_after_gap", "a region after --gap us of work by one thread");
    after.pairing = pairing::insert;
    after.after_gap = true;
    return after;
  }();
  struct object : work_record {
    explicit object(sharers who) : work_record{who} { parallel_region::step(*this); }
  };
  SM_FN static void before(auto& lane) { spend_gap(lane.object()); }
  SM_FN static void measured(auto& lane) { parallel_region::step(lane.object()); }
  SM_FN static void after(auto&) {}
  SM_LOOP static void spend_gap(work_record& record) { record.spend_gap(); }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_gaps(use.ops, use.measured);
  }
};

// test - baseline == cost of a region beyond --section ns of work by each lane. The region follows
// --gap us of work by lane 0.
// The baseline does the section's work in lane 0 without a region. An empty body would hide the
// threads' late start.
struct region_around_work {
  static constexpr op_info info = [] {
    op_info around = region_info("region_around_work",
                                 "a region with --section ns of work of each thread in it, after "
                                 "--gap us of work by one thread: the cost beyond that work");
    around.pairing = pairing::insert;
    around.after_gap = true;
    around.has_work = true;
    return around;
  }();
  using object = region_after_gap::object;
  SM_FN static void before(auto& lane) { region_after_gap::spend_gap(lane.object()); }
  SM_FN static void measured(auto& lane) { lane.object().work_in_team(); }
  SM_FN static void after(auto& lane) { step(lane.object()); }
  SM_LOOP static void step(work_record& record) {
    if (!record.take_team()) return record.work();
#pragma omp parallel num_threads(record.threads())
    {
      work_record::current->work();
      ++work_record::current->of(omp_get_thread_num()).entered;
    }
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_gaps(use.ops, use.measured);
  }
};

// test - baseline == cost of a process's first region: thread start, region, thread end. The
// baseline process ends without a region. The worker's own threads have ended before.
struct first_region {
  static constexpr op_info info = [] {
    op_info first = own_region_info(
        "first_region", "the first region of a process: its threads' start, and their end", 2);
    first.pairing = pairing::insert;
    return first;
  }();
  using object = work_record;
  SM_FN static void before(auto&) {}
  SM_FN static void measured(auto& lane) { lane.object().work_in_team(); }
  SM_FN static void after(auto& lane) { step(lane.object()); }
  SM_LOOP static void step(work_record& record) {
    const unsigned threads = record.take_team() ? record.lanes() : 0;
    const int entered = entered_in_new_process(threads);
    record.of(0U).entered += threads != 0 && entered >= 0 ? 1 : 0;
    record.of(0U).wrong += entered == static_cast<int>(threads % exit_values) ? 0 : 1;
  }
  static std::string check(const work_record& record, const object_use& use) {
    const std::string wrong = record.check_items(0, 1);
    return wrong.empty() ? record.check_entered(use.measured, 1) : wrong;
  }
};

// A region and a loop with one iteration per lane, in one construct.
struct parallel_for : region_op<parallel_for> {
  static constexpr op_info info =
      region_info("parallel_for", "a region with a static loop, one iteration a thread");
  SM_LOOP static void step(work_record& record) {
#pragma omp parallel for num_threads(record.threads()) schedule(static)
    for (int i = 0; i < work_record::current->threads(); ++i)
      work_record::current->of(omp_get_thread_num()).add(static_cast<std::uint64_t>(i));
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_items(use.ops, use.lanes);
  }
};

/// A region with a reduction. Each thread contributes a thread-local value, because a caller's
/// value would be an extra line to fetch. Results differ from region to region.
template <class Op> struct reduction_op : region_op<Op> {
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_items(use.ops, 1);
  }
};
/// Returns how many regions the calling thread has entered, including this one. All threads have
/// the same count.
inline std::uint64_t enter() { return ++work_record::current->of(omp_get_thread_num()).entered; }
inline std::uint64_t thread_number() { return static_cast<std::uint64_t>(omp_get_thread_num()); }
/// Adds thread_number() over all threads.
inline std::uint64_t sum_of_numbers(const work_record& record) {
  return std::uint64_t{record.lanes()} * (record.lanes() - 1) / 2;
}

struct reduction_sum : reduction_op<reduction_sum> {
  static constexpr op_info info =
      in_quick(region_info("reduction_sum", "a region with reduction(+) of a 64-bit integer"));
  SM_LOOP static void step(work_record& record) {
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(record.threads()) default(none) reduction(+ : sum)
    sum += enter() + thread_number();
    record.add_result(sum == record.of(0).entered * record.lanes() + sum_of_numbers(record));
  }
};

struct reduction_max : reduction_op<reduction_max> {
  static constexpr op_info info =
      region_info("reduction_max", "a region with reduction(max) of a 64-bit integer");
  SM_LOOP static void step(work_record& record) {
    std::uint64_t most = 0;
#pragma omp parallel num_threads(record.threads()) default(none) reduction(max : most)
    {
      const std::uint64_t mine = enter() + thread_number();
      most = mine > most ? mine : most;
    }
    record.add_result(most == record.of(0).entered + record.lanes() - 1);
  }
};

struct reduction_array : reduction_op<reduction_array> {
  static constexpr op_info info =
      region_info("reduction_array", "a region with reduction(+) of an array of 64 doubles");
  SM_LOOP static void step(work_record& record) {
    constexpr std::size_t elements = 64;
    double sums[elements] = {};
#pragma omp parallel num_threads(record.threads()) default(none) reduction(+ : sums[ : elements])
    {
      const auto value = static_cast<double>(enter());
      for (double& sum : sums) sum += value;
    }
    const double expected = static_cast<double>(record.of(0).entered) * record.lanes();
    bool right = true;
    for (const double sum : sums) right = right && sum == expected;
    record.add_result(right);
  }
};

/// Range over several threads' values, for a declared reduction.
struct value_range {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  void add(const value_range& other) {
    least = other.least < least ? other.least : least;
    most = other.most > most ? other.most : most;
  }
};
#pragma omp declare reduction(join:value_range : omp_out.add(omp_in))

struct reduction_declared : reduction_op<reduction_declared> {
  static constexpr op_info info = region_info(
      "reduction_declared", "a region with a declared reduction of a structure of two words");
  SM_LOOP static void step(work_record& record) {
    value_range all;
#pragma omp parallel num_threads(record.threads()) default(none) reduction(join : all)
    {
      const std::uint64_t mine = enter() + thread_number();
      all.add({mine, mine});
    }
    const std::uint64_t entered = record.of(0).entered;
    record.add_result(all.least == entered && all.most == entered + record.lanes() - 1);
  }
};

}  // namespace syncmeter::omp::ops
