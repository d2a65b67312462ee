// A parallel region, a static loop, a reduction and tasks of OpenMP in loops between two readings
// of the clock: what a program of a page tells of them. It shares no code with syncmeter on
// purpose.
//   region_twin CONSTRUCT THREADS [seconds]   prints ns for each construct, the median of its loops
//   region_twin gap THREADS seconds US        a region after US microseconds of serial work
//   region_twin even THREADS                  ns of serial work from which a region with a static
//                                             loop takes less time than one thread
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct alignas(128) counter {
  long value = 0;
};
std::vector<counter> counters;

void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) std::perror("sched_setaffinity"), std::exit(1);
}

// Some of a construct by the thread that starts regions, or by each thread of a team.
double ns_of(std::string_view construct, int threads, int repeats) {
  long sum = 0;
  const bool is_shared_out = construct == "for_static" || construct == "task_by_one";
  const double start = omp_get_wtime();
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
  double first = start, last = omp_get_wtime();
  if (is_shared_out) {
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
#pragma omp barrier
      const double begin = omp_get_wtime();
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
      if (me == 0) first = begin, last = omp_get_wtime();
    }
  }
  return (last - first) / repeats * 1e9;
}

double median(std::vector<double> costs) {
  std::ranges::nth_element(costs, costs.begin() + costs.size() / 2);
  return costs[costs.size() / 2];
}

void work_until(double end) {
  while (omp_get_wtime() < end) {
  }
}

double ns_after_gap(int threads, double seconds, double gap_s) {
  std::vector<double> costs;
  for (const double end = omp_get_wtime() + seconds; omp_get_wtime() < end;) {
    const double start = omp_get_wtime();
    work_until(start + gap_s);
    const double before = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    ++counters[omp_get_thread_num()].value;
    costs.push_back((omp_get_wtime() - before) * 1e9);
  }
  return median(costs);
}

// About 10 ns, of which nothing overlaps with the next.
double worked(double value) {
  for (int i = 0; i < 6; ++i) value = value * 0.999 + 0.001;
  return value;
}

double ns_of_loop(int iterations, int threads) {
  std::vector<double> costs;
  for (int repeat = 0; repeat < 301; ++repeat) {
    double sum = 0;
    const double start = omp_get_wtime();
    if (threads == 1) {
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
    costs.push_back((omp_get_wtime() - start) * 1e9);
  }
  return median(costs);
}

// Halves the range of iterations until both ways take the same time.
double ns_where_even(int threads) {
  int low = 1, high = 1 << 20;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (ns_of_loop(middle, threads) < ns_of_loop(middle, 1) ? high : low) = middle;
  }
  return ns_of_loop(high, 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: region_twin CONSTRUCT THREADS [seconds]\n", stderr), 2;
  const int threads = std::atoi(argv[2]);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0.1;
  counters.resize(threads);
#pragma omp parallel num_threads(threads)
  pin(omp_get_thread_num());
  const std::string_view what = argv[1];
  if (what == "gap" && argc > 4)
    return std::printf("%.2f\n", ns_after_gap(threads, seconds, std::atof(argv[4]) * 1e-6)), 0;
  if (what == "even") return std::printf("%.2f\n", ns_where_even(threads)), 0;
  const int repeats = std::max(10, static_cast<int>(1e6 / ns_of(argv[1], threads, 100)));
  std::vector<double> costs;
  for (const double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
    costs.push_back(ns_of(argv[1], threads, repeats));
  std::printf("%.2f\n", median(costs));
}
