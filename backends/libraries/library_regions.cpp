#include "backends/libraries/library_regions.hpp"

#if SM_HAS_TBB
#include <algorithm>
#include <functional>
#include <numeric>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#if SM_HAS_STD_PAR
#include <execution>
#endif

namespace syncmeter::libraries {

// Allows a thread for each lane, even if lanes outnumber processing units.
struct tbb_work::arena {
  explicit arena(unsigned lanes)
      : allowed{tbb::global_control::max_allowed_parallelism, lanes},
        threads{static_cast<int>(lanes)} {}
  tbb::global_control allowed;
  tbb::task_arena threads;
  tbb::affinity_partitioner same_threads;  // remembers which thread had which part
};

namespace {

void do_item(work_record& record, std::uint64_t number) {
  record.of(tbb::this_task_arena::current_thread_index()).add(number);
}

template <class Partitioner> void run_loop(tbb_work& work, Partitioner& partitioner) {
  work_record& record = work.record();
  work.threads().threads.execute([&record, &partitioner] {
    tbb::parallel_for(
        tbb::blocked_range<std::uint64_t>{0, tbb_loop::items(record.lanes())},
        [&record](const tbb::blocked_range<std::uint64_t>& part) {
          thread_work& mine = record.of(tbb::this_task_arena::current_thread_index());
          for (std::uint64_t i = part.begin(); i < part.end(); ++i) mine.add(i);
        },
        partitioner);
  });
}
template <class Partitioner> void run_loop_by_new(tbb_work& work) {
  const Partitioner partitioner;
  run_loop(work, partitioner);
}

}  // namespace

tbb_work::tbb_work(sharers who)
    : record_{who}, arena_{std::make_unique<arena>(who.lanes)}, numbers_(who.lanes) {
  std::iota(numbers_.begin(), numbers_.end(), 0U);
}
tbb_work::~tbb_work() = default;

void tbb_for::step(tbb_work& work) {
  work_record& record = work.record();
  work.threads().threads.execute([&record] {
    tbb::parallel_for(
        std::uint64_t{0}, std::uint64_t{record.lanes()},
        [&record](std::uint64_t i) { do_item(record, i); }, tbb::simple_partitioner{});
  });
}

void tbb_for_simple::step(tbb_work& work) { run_loop_by_new<tbb::simple_partitioner>(work); }
void tbb_for_auto::step(tbb_work& work) { run_loop_by_new<tbb::auto_partitioner>(work); }
void tbb_for_static::step(tbb_work& work) { run_loop_by_new<tbb::static_partitioner>(work); }
void tbb_for_affinity::step(tbb_work& work) { run_loop(work, work.threads().same_threads); }

void tbb_reduce::step(tbb_work& work) {
  work_record& record = work.record();
  const std::uint64_t value = record.renew_value(), lanes = record.lanes();
  std::uint64_t sum = 0;
  work.threads().threads.execute([&] {
    sum = tbb::parallel_reduce(
        tbb::blocked_range<std::uint64_t>{0, lanes}, std::uint64_t{0},
        [value](const tbb::blocked_range<std::uint64_t>& part, std::uint64_t so_far) {
          for (std::uint64_t i = part.begin(); i < part.end(); ++i) so_far += value + i;
          return so_far;
        },
        std::plus<>{}, tbb::simple_partitioner{});
  });
  record.add_result(sum == value * lanes + lanes * (lanes - 1) / 2);
}

void tbb_group::step(tbb_work& work) {
  work_record& record = work.record();
  work.threads().threads.execute([&record] {
    tbb::task_group tasks;
    for (std::uint64_t i = 0; i < record.lanes(); ++i)
      tasks.run([&record, i] { do_item(record, i); });
    tasks.wait();
  });
}

#if SM_HAS_STD_PAR
// libstdc++ passes parallel algorithms to oneTBB, in the calling arena.
void std_for_each::step(tbb_work& work) {
  work_record& record = work.record();
  const std::span<const std::uint64_t> numbers = work.numbers();
  work.threads().threads.execute([&record, numbers] {
    std::for_each(std::execution::par, numbers.begin(), numbers.end(),
                  [&record](std::uint64_t i) { do_item(record, i); });
  });
}
#endif

void tbb_execute::step(tbb_work& work) {
  work_record& record = work.record();
  work.threads().threads.execute([&record] { record.of(0U).add(0); });
}

}  // namespace syncmeter::libraries
#endif
