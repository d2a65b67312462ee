// Threads that do one thing all the time, named by the argument: what has no call that could be
// counted. Each line of interest is a function's of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr long rounds = 20'000'000;
std::atomic<long> sum;
struct {
  volatile long first = 0, second = 0;
} neighbours;

[[gnu::noinline]] void add_to_one(int) {
  for (long i = 0; i < rounds; ++i) sum.fetch_add(1, std::memory_order_relaxed);
}

[[gnu::noinline]] void write_beside(int thread) {
  volatile long& own = thread == 0 ? neighbours.first : neighbours.second;
  for (long i = 0; i < 5 * rounds; ++i) own = own + 1;
}

[[gnu::noinline]] void compute(int) {
  unsigned long value = 1;
  for (long i = 0; i < 10 * rounds; ++i) {
    value = value * 6364136223846793005 + 1442695040888963407;
    asm volatile("" : "+r"(value));
  }
}

void in_threads(int number, void (*work)(int)) {
  std::vector<std::thread> threads;
  for (int i = 0; i < number; ++i) threads.emplace_back(work, i);
  for (std::thread& each : threads) each.join();
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "contended") in_threads(2, add_to_one);
  if (what == "alone") add_to_one(0);
  if (what == "neighbours") in_threads(2, write_beside);
  if (what == "nothing") in_threads(2, compute);
  if (what == "child") {
    if (::fork() == 0) {
      in_threads(2, add_to_one);
      ::_exit(0);
    }
    ::wait(nullptr);
  }
  std::puts("done");
}
