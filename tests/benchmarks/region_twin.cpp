// A parallel region, a static loop, a reduction and tasks of OpenMP in loops between two readings
// of the clock: what a program of a page tells of them. It shares no code with syncmeter on
// purpose.
//   region_twin CONSTRUCT THREADS [seconds]   prints ns for each construct, the median of its loops
//   region_twin gap THREADS seconds US [us]   a region after US microseconds of serial work: by a
//                                             clock around each, and by loops with and without
//                                             regions, which last so many us (100)
//   region_twin even THREADS                  ns of serial work from which a region with a static
//                                             loop takes less time than one thread
//   region_twin first THREADS                 the first region of this process, and the second
//   region_twin at THREADS NS                 a loop of about so much serial work: its iterations,
//                                             and what it takes by one thread and in a region
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct alignas(128) counter {
  long value = 0;
};
std::vector<counter> counters;

// Not omp_get_wtime, which is a clock of microseconds in LLVM's runtime: a gap that ends with its
// tick leaves out half of one.
double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// To the one with that number among the processors that the process may use; nowhere where there
// are too few, as for a thread that OMP_PROC_BIND has bound.
void pin(int number, cpu_set_t may_use) {
  if (CPU_COUNT(&may_use) <= number) return;
  int processor = 0;
  while (!CPU_ISSET(processor, &may_use) || number-- > 0) ++processor;
  CPU_ZERO(&may_use);
  CPU_SET(processor, &may_use);
  if (sched_setaffinity(0, sizeof may_use, &may_use) != 0)
    std::perror("sched_setaffinity"), std::exit(1);
}

// Some of a construct by the thread that starts regions, or by each thread of a team.
double ns_of(std::string_view construct, int threads, int repeats) {
  long sum = 0;
  const bool is_shared_out = construct == "for_static" || construct == "task_by_one";
  const double start = now_s();
  if (construct == "parallel_region") {
    for (int r = 0; r < repeats; ++r) {
#pragma omp parallel num_threads(threads)
      ++counters[omp_get_thread_num()].value;
    }
  } else if (construct == "reduction_sum") {
    for (int r = 0; r < repeats; ++r) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
      sum += omp_get_thread_num();
      if (sum < 0) return 0;
    }
  }
  double first = start, last = now_s();
  if (is_shared_out) {
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
#pragma omp barrier
      const double begin = now_s();
      for (int r = 0; r < repeats; ++r) {
        if (construct == "for_static") {
#pragma omp for schedule(static)
          for (int i = 0; i < threads; ++i) counters[me].value += i;
        } else {
#pragma omp single
          for (int i = 0; i < threads; ++i) {
#pragma omp task
            ++counters[omp_get_thread_num()].value;
          }
        }
      }
      if (me == 0) first = begin, last = now_s();
    }
  }
  return (last - first) / repeats * 1e9;
}

double median(std::vector<double> costs) {
  std::ranges::nth_element(costs, costs.begin() + costs.size() / 2);
  return costs[costs.size() / 2];
}

void work_until(double end) {
  while (now_s() < end) {
  }
}

// ns of a loop of gaps for each of them: of the regions behind them by a clock around each, of all,
// or of the gaps alone.
enum class timed { regions, all, gaps };
double ns_of_gaps(timed what, int repeats, double gap_s, int threads) {
  double regions_s = 0;
  // Where there is one region in a loop, the threads have waited for one gap, not for those of the
  // loop before.
#pragma omp parallel num_threads(threads)
  ++counters[omp_get_thread_num()].value;
  const double start = now_s();
  for (int r = 0; r < repeats; ++r) {
    work_until(now_s() + gap_s);
    if (what == timed::gaps) continue;
    const double before = what == timed::regions ? now_s() : 0;
#pragma omp parallel num_threads(threads)
    ++counters[omp_get_thread_num()].value;
    if (what == timed::regions) regions_s += now_s() - before;
  }
  return (what == timed::regions ? regions_s : now_s() - start) / repeats * 1e9;
}

// Of loops, as one region alone would be known to a tick, and leave out what happens to few of
// many.
void print_after_gap(int threads, double seconds, double gap_s, double loop_s) {
  const int repeats = static_cast<int>(std::ceil(loop_s / (gap_s + 5e-6)));
  std::vector<double> by_clock, by_difference;
  for (const double end = now_s() + seconds; now_s() < end;) {
    by_clock.push_back(ns_of_gaps(timed::regions, repeats, gap_s, threads));
    by_difference.push_back(ns_of_gaps(timed::all, repeats, gap_s, threads));
    by_difference.back() -= ns_of_gaps(timed::gaps, repeats, gap_s, threads);
  }
  std::printf("%.2f %.2f\n", median(by_clock), median(by_difference));
}

// About 10 ns, of which nothing overlaps with the next.
double worked(double value) {
  for (int i = 0; i < 6; ++i) value = value * 0.999 + 0.001;
  return value;
}

// Of as many loops one after the other as take 100 us.
double ns_of_loop(int iterations, int threads) {
  const int repeats = std::max(1, 10000 / iterations);
  std::vector<double> costs;
  for (int sample = 0; sample < 101; ++sample) {
    const double start = now_s();
    for (int r = 0; r < repeats; ++r) {
      if (threads == 1) {
        double sum = 0;
        for (int i = 0; i < iterations; ++i) sum = worked(sum + i);
        counters[0].value += sum > 0;
      } else {
#pragma omp parallel num_threads(threads)
        {
          double mine = 0;
#pragma omp for schedule(static) nowait
          for (int i = 0; i < iterations; ++i) mine = worked(mine + i);
          counters[omp_get_thread_num()].value += mine > 0;
        }
      }
    }
    costs.push_back((now_s() - start) / repeats * 1e9);
  }
  return median(costs);
}

// Doubles the iterations until the region is faster, and halves the range that they are in.
double ns_where_even(int threads) {
  int high = 2;
  while (high < 1 << 20 && ns_of_loop(high, threads) > ns_of_loop(high, 1)) high *= 2;
  int low = high / 2;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (ns_of_loop(middle, threads) < ns_of_loop(middle, 1) ? high : low) = middle;
  }
  return ns_of_loop(high, 1);
}

double ns_of_one_region(int threads) {
  const double before = now_s();
#pragma omp parallel num_threads(threads)
  ++counters[omp_get_thread_num()].value;
  return (now_s() - before) * 1e9;
}

void print_both_ways(int threads, double serial_ns) {
  constexpr int many = 10000;
  const int iterations = std::max(1, static_cast<int>(serial_ns * many / ns_of_loop(many, 1)));
  const double alone = ns_of_loop(iterations, 1);
  std::printf("%d %.2f %.2f\n", iterations, alone, ns_of_loop(iterations, threads));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: region_twin CONSTRUCT THREADS [seconds]\n", stderr), 2;
  const int threads = std::atoi(argv[2]);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0.1;
  counters.resize(threads);
  const std::string_view what = argv[1];
  if (what == "first") {
    const double first = ns_of_one_region(threads);
    return std::printf("%.2f %.2f\n", first, ns_of_one_region(threads)), 0;
  }
  cpu_set_t may_use;
  sched_getaffinity(0, sizeof may_use, &may_use);
#pragma omp parallel num_threads(threads)
  pin(omp_get_thread_num(), may_use);
  if (what == "gap" && argc > 4) {
    const double loop_us = argc > 5 ? std::atof(argv[5]) : 100;
    return print_after_gap(threads, seconds, std::atof(argv[4]) * 1e-6, loop_us * 1e-6), 0;
  }
  if (what == "at" && argc > 3) return print_both_ways(threads, std::atof(argv[3])), 0;
  if (what == "even") return std::printf("%.2f\n", ns_where_even(threads)), 0;
  const int repeats = std::max(10, static_cast<int>(1e6 / ns_of(argv[1], threads, 100)));
  std::vector<double> costs;
  for (const double end = now_s() + seconds; now_s() < end;)
    costs.push_back(ns_of(argv[1], threads, repeats));
  std::printf("%.2f\n", median(costs));
}
