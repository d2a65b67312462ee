// An independent measurement of a few x86 primitives, by rdtscp around hand-written instructions:
// what syncmeter's figures are held against. It shares no code with syncmeter on purpose.
//   twin OP [seconds]   prints {"op": .., "ns": .., "rounds": .., "quiet": ..}: the median of the
//   quiet rounds
#include <omp.h>
#include <sched.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int steps_per_block = 64;

std::uint64_t now() {
  unsigned processor = 0;
  const auto ticks = __rdtscp(&processor);
  _mm_lfence();
  return ticks;
}

double ns_per_tick() {
  const auto clock_start = std::chrono::steady_clock::now();
  const auto start = now();
  while (std::chrono::steady_clock::now() - clock_start < std::chrono::milliseconds{50}) {
  }
  const auto stop = now();
  const std::chrono::duration<double, std::nano> elapsed =
      std::chrono::steady_clock::now() - clock_start;
  return elapsed.count() / static_cast<double>(stop - start);
}

void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) std::perror("sched_setaffinity"), std::exit(1);
}

// Four chains of dependent subtractions and additions; a sibling thread on the core slows them.
std::uint64_t probe() {
  const auto start = now();
  std::uint64_t count = 1200;
  asm volatile("1: add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r11\n"
               "sub $1, %0; jnz 1b"
               : "+r"(count)
               :
               : "r8", "r9", "r10", "r11", "cc");
  return now() - start;
}

alignas(128) std::uint64_t word;

#define BLOCK(instructions)                                                                        \
  asm volatile(".rept 64\n" instructions "\n.endr"                                                 \
               :                                                                                   \
               : "r"(&word), "r"(one), "x"(one_double)                                             \
               : "rax", "rdx", "xmm7", "memory", "cc")

void run_blocks(std::string_view op, int blocks) {
  const std::uint64_t one = 1;
  const double one_double = 1.0;
  for (int i = 0; i < blocks; ++i) {
    if (op == "lock_add") BLOCK("lock addl %k1, (%0)");
    else if (op == "xadd") BLOCK("mov %k1, %%eax; lock xaddl %%eax, (%0)");
    else if (op == "cas_loop")
      BLOCK("mov (%0), %%eax; 7: lea 1(%%rax), %%edx; lock cmpxchgl %%edx, (%0); jne 7b");
    else if (op == "double_add")
      BLOCK("mov (%0), %%rax; 7: movq %%rax, %%xmm7; addsd %2, %%xmm7; movq %%xmm7, %%rdx; lock "
            "cmpxchgq %%rdx, (%0); jne 7b");
    else if (op == "lock_or") BLOCK("lock orq $0, (%%rsp)");
    else if (op == "mfence") BLOCK("mfence");
    else if (op == "load") BLOCK("mov (%0), %%eax");
    else if (op == "store") BLOCK("mov %k1, (%0)");
    else std::fprintf(stderr, "unknown op\n"), std::exit(2);
  }
}

struct round {
  double ns;
  bool quiet;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void report(std::string_view op, const std::vector<round>& rounds) {
  std::vector<double> quiet;
  for (const auto& r : rounds)
    if (r.quiet) quiet.push_back(r.ns);
  std::printf("{\"op\": \"%.*s\", \"ns\": %.5f, \"rounds\": %zu, \"quiet\": %zu}\n",
              static_cast<int>(op.size()), op.data(), median(quiet), rounds.size(), quiet.size());
}

std::vector<round> one_lane(std::string_view op, double seconds, double tick_ns) {
  pin(0);
  int blocks = 1;
  for (std::uint64_t ticks = 0; static_cast<double>(ticks) * tick_ns < 100e3; blocks *= 2) {
    const auto start = now();
    run_blocks(op, blocks);
    ticks = now() - start;
  }
  std::vector<round> rounds;
  std::vector<std::uint64_t> probes;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>{seconds};
  while (std::chrono::steady_clock::now() < end) {
    const auto before = probe();
    const auto start = now();
    run_blocks(op, blocks);
    const auto ticks = now() - start;
    probes.push_back(std::max(before, probe()));
    rounds.push_back(
        {static_cast<double>(ticks) * tick_ns / (static_cast<double>(blocks) * steps_per_block),
         true});
  }
  const auto floor = *std::min_element(probes.begin(), probes.end());
  for (std::size_t i = 0; i < rounds.size(); ++i)
    rounds[i].quiet = static_cast<double>(probes[i]) < 1.15 * static_cast<double>(floor);
  return rounds;
}

// Two pinned threads, nothing between the barriers.
std::vector<round> barrier(double seconds, double tick_ns) {
  constexpr int barriers = 500;
  std::vector<round> rounds;
  std::vector<std::uint64_t> probes;
  bool go_on = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>{seconds};
#pragma omp parallel num_threads(2)
  {
    pin(omp_get_thread_num());
    while (go_on) {
      const auto before = probe();
#pragma omp barrier
      const auto start = now();
      for (int i = 0; i < barriers; ++i) {
#pragma omp barrier
      }
      const auto ticks = now() - start;
      const auto slowest = std::max(before, probe());
#pragma omp barrier
#pragma omp critical
      probes.push_back(slowest);
#pragma omp barrier
#pragma omp master
      {
        rounds.push_back({static_cast<double>(ticks) * tick_ns / barriers, true});
        go_on = std::chrono::steady_clock::now() < end;
      }
#pragma omp barrier
    }
  }
  const auto floor = *std::min_element(probes.begin(), probes.end());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    rounds[i].quiet = static_cast<double>(std::max(probes[2 * i], probes[2 * i + 1])) <
                      1.15 * static_cast<double>(floor);
  }
  return rounds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: twin OP [seconds]\n"), 2;
  const std::string op = argv[1];
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.1;
  const double tick_ns = ns_per_tick();
  report(op, op == "barrier" ? barrier(seconds, tick_ns) : one_lane(op, seconds, tick_ns));
}
