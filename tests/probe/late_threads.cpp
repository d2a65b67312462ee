// Two threads meet at barriers, and one of them comes late. With a file's name it notes each timed
// run there, and is ended by a signal halfway through the second.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <omp.h>

namespace {

/// How many runs with timed calls there were, with this one; 0 in another run.
long timed_runs(const char* file) {
  const char* const every = std::getenv("SYNCMETER_PROBE_EVERY");
  if (every == nullptr || std::strcmp(every, "0") == 0) return 0;
  std::FILE* const runs = std::fopen(file, "a");
  std::fputc('.', runs);
  const long number = std::ftell(runs);
  std::fclose(runs);
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int meetings = 20, late_us = 5000;
  const bool ends_early = argc > 1 && timed_runs(argv[1]) == 2;
#pragma omp parallel num_threads(2)
  for (int meeting = 0; meeting < meetings; ++meeting) {
    if (omp_get_thread_num() == 1) {
      ::usleep(late_us);
      if (ends_early && 2 * meeting > meetings) std::raise(SIGKILL);
    }
#pragma omp barrier
  }
}
