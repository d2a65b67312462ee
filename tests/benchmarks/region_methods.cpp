// Constructs of OpenMP as EPCC's benchmarks measure them (100 ns of work before or in each, of
// which what one thread takes is taken off) and bare, as syncmeter's ops are, in turn in one
// process: the process and its placement are the same, so that the method alone separates both. It
// shares no code with syncmeter or EPCC on purpose. With -DEPCC and syncbench.c (version 4.0, main
// by another name) and common.c linked, EPCC's own functions are a third turn.
//   region_methods THREADS [seconds [µs]]   prints CONSTRUCT, ns by EPCC's method, ns bare [, ns by
//                                           EPCC's function]: medians of loops that last so many
//                                           µs, 100 if none is given; EPCC's last 1000: on a busy
//                                           machine few are left undisturbed
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "region_programs.hpp"

#if defined(EPCC)
extern "C" {
extern int nthreads, delaylength;
extern unsigned long innerreps;
int getdelaylengthfromtime(double us);
void refer(), testpr(), testpfor(), testred(), testbar(), testfor(), testsing();
}
#endif

namespace {

struct alignas(128) counter {
  long value = 0;
};
std::vector<counter> counters;
int threads = 1;
int work_steps = 1;

__attribute__((noinline)) void work() {
  float sum = 0;
  for (int i = 0; i < work_steps; ++i) {
    sum += static_cast<float>(i);
    asm volatile("" : "+x"(sum));
  }
}
void count() { ++counters[omp_get_thread_num()].value; }

// Each runs so many constructs; WORK is what EPCC's method adds to one.
using construct = void (*)(int repeats, bool works);

void by_one_thread(int repeats, bool /*works*/) {
  for (int r = 0; r < repeats; ++r) work();
}
void parallel(int repeats, bool works) {
  for (int r = 0; r < repeats; ++r) {
    if (works) {
#pragma omp parallel
      work();
    } else {
#pragma omp parallel
      count();
    }
  }
}
// Bare with two variables of the caller, as most programs have them; EPCC's are global.
void parallel_for(int repeats, bool works) {
  counter* const mine = counters.data();
  const int all = threads;
  for (int r = 0; r < repeats; ++r) {
    if (works) {
#pragma omp parallel for schedule(static)
      for (int i = 0; i < threads; ++i) work();
    } else {
#pragma omp parallel for schedule(static) default(none) shared(mine, all)
      for (int i = 0; i < all; ++i) mine[omp_get_thread_num()].value += i;
    }
  }
}
void reduction(int repeats, bool works) {
  int sum = 0;
  for (int r = 0; r < repeats; ++r) {
#pragma omp parallel reduction(+ : sum)
    {
      if (works) work();
      ++sum;
    }
  }
  counters[0].value += sum;
}
void barrier(int repeats, bool works) {
  for (int r = 0; r < repeats; ++r) {
    if (works) work();
#pragma omp barrier
  }
}
void static_loop(int repeats, bool works) {
  for (int r = 0; r < repeats; ++r) {
    if (works) {
#pragma omp for
      for (int i = 0; i < threads; ++i) work();
    } else {
#pragma omp for
      for (int i = 0; i < threads; ++i) count();
    }
  }
}
void single(int repeats, bool works) {
  for (int r = 0; r < repeats; ++r) {
    if (works) {
#pragma omp single
      work();
    } else {
#pragma omp single
      count();
    }
  }
}

#if defined(EPCC)
// Its functions start the team themselves, once in a loop.
template <void (*Function)()> void by_epcc(int repeats, bool /*works*/) {
  innerreps = static_cast<unsigned long>(repeats);
  Function();
}
#endif

struct method {
  const char* name;
  construct run;
  bool in_a_team, works;
  std::vector<double> costs = {};
};

double ns_of(const method& one, int repeats) {
  double first = now_s(), last = 0;
  if (one.in_a_team) {
#pragma omp parallel
    {
#pragma omp barrier
      const double start = now_s();
      one.run(repeats, one.works);
      if (omp_get_thread_num() == 0) first = start, last = now_s();
    }
  } else {
    one.run(repeats, one.works);
    last = now_s();
  }
  return (last - first) / repeats * 1e9;
}

double median(std::vector<double> costs) {
  std::ranges::nth_element(costs, costs.begin() + costs.size() / 2);
  return costs[costs.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: region_methods THREADS [seconds [us]]\n", stderr), 2;
  threads = std::atoi(argv[1]);
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1;
  const double loop_ns = (argc > 3 ? std::atof(argv[3]) : 100) * 1e3;
  counters.resize(threads);
  omp_set_num_threads(threads);
  cpu_set_t may_use;
  sched_getaffinity(0, sizeof may_use, &may_use);
#pragma omp parallel
  pin(omp_get_thread_num(), may_use);

  const method alone{"work", by_one_thread, false, true};
  const auto least_of_some = [](const method& one, int repeats) {
    double least = ns_of(one, repeats);
    for (int again = 0; again < 20; ++again) least = std::min(least, ns_of(one, repeats));
    return least;
  };
  while (least_of_some(alone, 200) < 100) ++work_steps;
  std::vector<method> methods{alone};
  for (const bool works : {true, false}) {
    methods.push_back({"parallel_region", parallel, false, works});
    methods.push_back({"parallel_for", parallel_for, false, works});
    methods.push_back({"reduction_sum", reduction, false, works});
    methods.push_back({"barrier", barrier, true, works});
    methods.push_back({"for_static", static_loop, true, works});
    methods.push_back({"single", single, true, works});
  }
  const auto kinds = (methods.size() - 1) / 2;  // in this order by each method
#if defined(EPCC)
  nthreads = threads;
  delaylength = getdelaylengthfromtime(0.1);
  for (const auto function : {&by_epcc<testpr>, &by_epcc<testpfor>, &by_epcc<testred>,
                              &by_epcc<testbar>, &by_epcc<testfor>, &by_epcc<testsing>})
    methods.push_back({"", function, false, true});
  methods.push_back({"", &by_epcc<refer>, false, true});
#endif
  const double barrier_ns = least_of_some({"barrier", barrier, true, false}, 50);
  const int repeats = std::max(20, static_cast<int>(loop_ns / barrier_ns));
  std::vector<std::size_t> order(methods.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random{1};
  for (const double end = now_s() + seconds; now_s() < end;) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) methods[i].costs.push_back(ns_of(methods[i], repeats));
  }
  const double taken_off = median(methods[0].costs);
  for (std::size_t i = 1; i <= kinds; ++i) {
    std::printf("%s %.2f %.2f", methods[i].name, median(methods[i].costs) - taken_off,
                median(methods[i + kinds].costs));
    if (methods.size() > 1 + 2 * kinds)
      std::printf(" %.2f", median(methods[i + 2 * kinds].costs) - median(methods.back().costs));
    std::puts("");
  }
}
