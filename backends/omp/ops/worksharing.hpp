// Work that an OpenMP team shares among its threads. All lanes execute the construct, which ends
// with a barrier unless an op says otherwise. test - baseline == one more construct, including an
// addition per item: schedules are compared at equal items.
#pragma once

#include <omp.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "backends/omp/ops/regions.hpp"

namespace syncmeter::omp::ops {

/// An op whose team does `Op::items` items per op.
template <class Op> struct shared_op : self_paired<shared_op<Op>> {
  using object = work_record;
  SM_FN static void common(auto& lane) { Op::step(lane.object(), lane.number()); }
  static std::string check(const work_record& record, const object_use& use) {
    return record.check_items(use.ops, Op::items(record));
  }
};

consteval op_info shared_info(std::string_view name, std::string_view note,
                              std::string_view size_of = {}) {
  return {.name = name,
          .in_quick = false,
          .family = family::worksharing,
          .unroll = 1,
          .communicates = true,
          .note = note,
          .size_of = size_of};
}

/// The items of one thread in one construct. A compiler may compute a chunk's sum in advance.
struct item_sum {
  std::uint64_t count = 0, numbers = 0;
  void add(std::uint64_t number) {
    ++count;
    numbers += number;
  }
};

// Defines a loop with EACH iterations per lane.
#define SM_OMP_LOOP(NAME, INFO, EACH, PRAGMA)                                                      \
  struct NAME : shared_op<NAME> {                                                                  \
    static constexpr op_info info = INFO;                                                          \
    static std::uint64_t items(const work_record& record) { return record.of_all(EACH); }          \
    SM_LOOP static void step(work_record& record, unsigned lane) {                                 \
      [[maybe_unused]] const auto chunk = static_cast<std::int64_t>(record.size());                \
      const auto all = static_cast<std::int64_t>(items(record));                                   \
      item_sum done;                                                                               \
      _Pragma(PRAGMA) for (std::int64_t i = 0; i < all; ++i)                                       \
          done.add(static_cast<std::uint64_t>(i));                                                 \
      record.of(lane).add(done.count, done.numbers);                                               \
    }                                                                                              \
  };

/// Iterations per lane in loops with chunks, from EPCC's schedbench.
inline constexpr unsigned iterations_in_chunks = 128;
consteval op_info chunk_info(std::string_view name, std::string_view note) {
  return shared_info(name, note, "iterations of a chunk, of 128 for each thread");
}

SM_OMP_LOOP(for_static,
            in_quick(shared_info("for_static", "a loop with schedule(static)",
                                 "iterations of each thread")),
            record.size(), "omp for schedule(static)")
SM_OMP_LOOP(for_static_chunk, chunk_info("for_static_chunk", "a loop with schedule(static, size)"),
            iterations_in_chunks, "omp for schedule(static, chunk)")
SM_OMP_LOOP(for_dynamic, chunk_info("for_dynamic", "a loop with schedule(dynamic, size)"),
            iterations_in_chunks, "omp for schedule(dynamic, chunk)")
SM_OMP_LOOP(for_guided, chunk_info("for_guided", "a loop with schedule(guided, size)"),
            iterations_in_chunks, "omp for schedule(guided, chunk)")
// nowait: the loop ends without a barrier.
SM_OMP_LOOP(for_nowait,
            shared_info("for_nowait",
                        "a loop with schedule(static) and nowait, one iteration a thread"),
            1, "omp for schedule(static) nowait")
#undef SM_OMP_LOOP

/// Numbers unknown to the compiler.
struct known_numbers : work_record {
  explicit known_numbers(sharers who) : work_record{who} {
    for (double& each : values) each = static_cast<double>(renew_value());
  }
  double values[iterations_in_chunks];
};

// Cost of a reduction within one thread, without waiting: a control.
struct simd_reduction : self_paired<simd_reduction> {
  static constexpr op_info info = shared_info(
      "simd_reduction", "a loop of 128 iterations with simd reduction(+) by each thread alone");
  using object = known_numbers;
  SM_FN static void common(auto& lane) { step(lane.object(), lane.number()); }
  SM_LOOP static void step(known_numbers& numbers, unsigned lane) {
    thread_work& mine = numbers.of(lane);
    const auto times = static_cast<double>(mine.items % 2 + 1);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (unsigned i = 0; i < iterations_in_chunks; ++i) sum += times * numbers.values[i];
    constexpr double of_all = iterations_in_chunks * (iterations_in_chunks + 1) / 2;
    mine.add(0);
    mine.wrong += sum == times * of_all ? 0 : 1;
  }
  static std::string check(const known_numbers& numbers, const object_use& use) {
    return numbers.check_count(use.all_ops());
  }
};

struct sections : shared_op<sections> {
  static constexpr op_info info = shared_info("sections", "four sections");
  static std::uint64_t items(const work_record&) { return 4; }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    item_sum done;
#pragma omp sections
    {
#pragma omp section
      done.add(0);
#pragma omp section
      done.add(1);
#pragma omp section
      done.add(2);
#pragma omp section
      done.add(3);
    }
    record.of(lane).add(done.count, done.numbers);
  }
};

struct single : shared_op<single> {
  static constexpr op_info info = shared_info("single", "a block that one thread runs");
  static std::uint64_t items(const work_record&) { return 1; }
  SM_LOOP static void step(work_record& record, unsigned lane) {
#pragma omp single
    record.of(lane).add(0);
  }
};

// Every lane gets the value, which changes each time.
struct single_copyprivate : shared_op<single_copyprivate> {
  static constexpr op_info info =
      shared_info("single_copyprivate", "a block that one thread runs, and a word for all from it");
  static std::uint64_t items(const work_record&) { return 1; }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    std::uint64_t value = 0;
    thread_work& mine = record.of(lane);
#pragma omp single copyprivate(value)
    {
      mine.add(0);
      value = record.renew_value();
    }
    mine.wrong += value != ++mine.entered ? 1 : 0;
  }
};

// Ends without a barrier: other lanes pass.
struct masked : shared_op<masked> {
  static constexpr op_info info = shared_info("masked", "a block that thread 0 runs; no barrier");
  static std::uint64_t items(const work_record&) { return 1; }
  SM_LOOP static void step(work_record& record, unsigned lane) {
#if defined(SM_OMP_HAS_MASKED)
#pragma omp masked
#else
#pragma omp master
#endif
    record.of(lane).add(0);
  }
};

// One iteration per lane writes a word that the next iteration also writes, because ordered code
// usually shares data.
struct ordered : shared_op<ordered> {
  static constexpr op_info info = shared_info(
      "ordered", "a loop whose iterations, one for each thread, write one word in order");
  static std::uint64_t items(const work_record& record) { return record.lanes(); }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    const auto all = static_cast<std::int64_t>(items(record));
    thread_work& mine = record.of(lane);
#pragma omp for ordered schedule(static, 1)
    for (std::int64_t i = 0; i < all; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
#pragma omp ordered
      record.take_turn(mine, number, static_cast<std::uint64_t>(all));
      mine.add(number);
    }
  }
};

}  // namespace syncmeter::omp::ops
