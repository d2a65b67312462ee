// Parallel regions of OpenMP. Lane 0 alone runs the loop; the threads of a region are the lanes,
// bound as the rig bound them. test - baseline == one more region: fork, one line written by each
// thread, join.
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

// The region's threads are half of those that the runtime has.
struct parallel_region_fewer : region_op<parallel_region_fewer> {
  static constexpr op_info info =
      own_region_info("parallel_region_fewer", "regions of half of the lanes, after one of all", 2);
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

// test - baseline == two regions, one of half of the lanes and one of all: beyond what the two take
// without each other it is what another size costs
struct region_after_resize : region_op<region_after_resize> {
  static constexpr op_info info =
      own_region_info("region_after_resize", "a region of half of the lanes, then one of all", 2);
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

// Within a region of one thread, as a library has it that is called by a thread of a region.
struct nested_region : region_op<nested_region> {
  static constexpr op_info info = own_region_info(
      "nested_region", "a region of all lanes within a region of one thread, and that one", 1);
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

// test - baseline == the region that follows so many microseconds of work by lane 0, during which
// the other threads wait for it; in the baseline there is only that work. A region outside the
// clock comes first: the sample of a long gap has one region, in which each thread would fetch
// lines that lane 0 has just made.
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

// test - baseline == what a region of all lanes takes beyond work of --section ns that each of them
// does in it, --gap us of work by lane 0 alone after the one before; in the baseline lane 0 does
// that work by itself, outside any region. Around an empty body the threads' late start is hidden.
struct region_around_work {
  static constexpr op_info info = [] {
    op_info around = region_info("region_around_work",
                                 "a region with --section ns of work of each lane in it, after "
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

// test - baseline == what the first region adds to a process: the runtime starts the threads, the
// region itself, and the threads' end; in the baseline the process ends without one. The worker's
// own threads have ended before.
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

// A region and in it a loop, one iteration for each lane, in one construct.
struct parallel_for : region_op<parallel_for> {
  static constexpr op_info info =
      region_info("parallel_for", "a region with a static loop, one iteration a lane");
  SM_LOOP static void step(work_record& record) {
#pragma omp parallel for num_threads(record.threads()) schedule(static)
    for (int i = 0; i < work_record::current->threads(); ++i)
      work_record::current->of(omp_get_thread_num()).add(static_cast<std::uint64_t>(i));
  }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_items(use.ops, use.lanes);
  }
};

/// A region with a reduction: each thread contributes once, and each result is another one than
/// that before. What it contributes it has itself: a value of the caller's would be one more line
/// to fetch, which other programs have or have not.
template <class Op> struct reduction_op : region_op<Op> {
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_items(use.ops, 1);
  }
};
/// How many regions the calling thread has entered, this one with them: as many as the others.
inline std::uint64_t enter() { return ++work_record::current->of(omp_get_thread_num()).entered; }
inline std::uint64_t thread_number() { return static_cast<std::uint64_t>(omp_get_thread_num()); }
/// What thread_number() adds up to over all threads.
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

/// The values of some threads, for a reduction that the program declares.
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
