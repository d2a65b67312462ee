// OpenMP tasks. All lanes execute the op, and any waiting lane runs tasks. test - baseline == one
// more construct (see the op's note) with all its tasks. A task writes a line of the thread that
// runs the task.
#pragma once

#include <omp.h>

#include "backends/omp/ops/worksharing.hpp"

namespace syncmeter::omp::ops {

consteval op_info task_info(std::string_view name, std::string_view note,
                            std::string_view size_of = {}) {
  op_info info = shared_info(name, note, size_of);
  info.family = family::tasking;
  return info;
}
inline constexpr std::string_view tasks_of_lane = "tasks of each thread";

/// Does a task's work.
inline void do_task(work_record& record, std::uint64_t number) {
  record.of(omp_get_thread_num()).add(number);
}

// Tasks copy a pointer, because a reference would copy the whole object into the task.
struct task_by_one : shared_op<task_by_one> {
  static constexpr op_info info = in_quick(task_info(
      "task_by_one", "one thread makes the tasks of all, in a single; its barrier", tasks_of_lane));
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()); }
  SM_LOOP static void step(work_record& record, unsigned /*lane*/) {
    work_record* const shared = &record;
    const std::uint64_t all = items(record);
#pragma omp single
    for (std::uint64_t i = 0; i < all; ++i) {
#pragma omp task default(none) firstprivate(i, shared)
      do_task(*shared, i);
    }
  }
};

struct task_by_all : shared_op<task_by_all> {
  static constexpr op_info info =
      task_info("task_by_all", "every thread makes tasks; a barrier", tasks_of_lane);
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()); }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    work_record* const shared = &record;
    const std::uint64_t first = std::uint64_t{lane} * record.size();
    for (std::uint64_t i = first; i < first + record.size(); ++i) {
#pragma omp task default(none) firstprivate(i, shared)
      do_task(*shared, i);
    }
#pragma omp barrier
  }
};

struct taskwait : shared_op<taskwait> {
  static constexpr op_info info =
      task_info("taskwait", "every thread makes one task and waits for it by taskwait");
  static std::uint64_t items(const work_record& record) { return record.lanes(); }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    work_record* const shared = &record;
#pragma omp task default(none) firstprivate(lane, shared)
    do_task(*shared, lane);
#pragma omp taskwait
  }
};

struct taskgroup : shared_op<taskgroup> {
  static constexpr op_info info =
      task_info("taskgroup", "every thread makes one task in a taskgroup of its own");
  static std::uint64_t items(const work_record& record) { return record.lanes(); }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    work_record* const shared = &record;
#pragma omp taskgroup
    {
#pragma omp task default(none) firstprivate(lane, shared)
      do_task(*shared, lane);
    }
  }
};

struct taskloop : shared_op<taskloop> {
  static constexpr op_info info = task_info(
      "taskloop", "one thread runs a taskloop of one iteration a task, in a single; its barrier",
      tasks_of_lane);
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()); }
  SM_LOOP static void step(work_record& record, unsigned /*lane*/) {
    work_record* const shared = &record;
    const auto all = static_cast<std::int64_t>(items(record));
#pragma omp single
#pragma omp taskloop grainsize(1) default(none) firstprivate(shared, all)
    for (std::int64_t i = 0; i < all; ++i) do_task(*shared, static_cast<std::uint64_t>(i));
  }
};

struct task_chain : shared_op<task_chain> {
  static constexpr op_info info = task_info(
      "task_chain", "as task_by_one, each task after the one before: depend(inout)", tasks_of_lane);
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()); }
  SM_LOOP static void step(work_record& record, unsigned /*lane*/) {
    work_record* const shared = &record;
    [[maybe_unused]] char* const token = record.token();
    const std::uint64_t all = items(record);
#pragma omp single
    for (std::uint64_t i = 0; i < all; ++i) {
#pragma omp task default(none) firstprivate(i, shared, all) depend(inout : token[0])
      {
        shared->take_turn(shared->of(omp_get_thread_num()), i, all);
        do_task(*shared, i);
      }
    }
  }
};

// Same order as task_chain, by waiting.
struct taskwait_by_one : shared_op<taskwait_by_one> {
  static constexpr op_info info =
      task_info("taskwait_by_one", "as task_by_one, each task waited for before the next: taskwait",
                tasks_of_lane);
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()); }
  SM_LOOP static void step(work_record& record, unsigned /*lane*/) {
    work_record* const shared = &record;
    const std::uint64_t all = items(record);
#pragma omp single
    for (std::uint64_t i = 0; i < all; ++i) {
#pragma omp task default(none) firstprivate(i, shared, all)
      {
        shared->take_turn(shared->of(omp_get_thread_num()), i, all);
        do_task(*shared, i);
      }
#pragma omp taskwait
    }
  }
};

// The first task is item 0.
struct task_fan : shared_op<task_fan> {
  static constexpr op_info info =
      task_info("task_fan", "as task_by_one, all tasks after a first one: depend(out), depend(in)",
                tasks_of_lane);
  static std::uint64_t items(const work_record& record) { return record.of_all(record.size()) + 1; }
  SM_LOOP static void step(work_record& record, unsigned /*lane*/) {
    work_record* const shared = &record;
    [[maybe_unused]] char* const token = record.token();
    const std::uint64_t all = items(record);
#pragma omp single
    {
      const std::uint64_t before = shared->value();
#pragma omp task default(none) firstprivate(shared) depend(out : token[0])
      {
        shared->renew_value();
        do_task(*shared, 0);
      }
      for (std::uint64_t i = 1; i < all; ++i) {
#pragma omp task default(none) firstprivate(i, shared, before) depend(in : token[0])
        {
          shared->of(omp_get_thread_num()).wrong += shared->value() != before + 1 ? 1 : 0;
          do_task(*shared, i);
        }
      }
    }
  }
};

// Reads only the cancellation flag if OMP_CANCELLATION is unset.
struct cancellation_point : shared_op<cancellation_point> {
  static constexpr op_info info =
      task_info("cancellation_point",
                "a static loop, one iteration a thread, with a cancellation point in it");
  static std::uint64_t items(const work_record& record) { return record.lanes(); }
  SM_LOOP static void step(work_record& record, unsigned lane) {
    const auto all = static_cast<std::int64_t>(items(record));
    thread_work& mine = record.of(lane);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < all; ++i) {
      mine.add(static_cast<std::uint64_t>(i));
      if (record.size() == 0) {  // never true, but a compiler drops the point without a cancel
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
};

}  // namespace syncmeter::omp::ops
