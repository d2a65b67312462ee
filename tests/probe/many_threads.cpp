// Threads one after another, each with a lock by a function of the standard library's headers and a
// region: prints how many KB the program has grown by from the first hundred to the last.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

std::mutex lock;

void use() {
  const std::lock_guard held(lock);
#pragma omp parallel num_threads(1)
  asm volatile("");
}

long mapped_kb() {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  while (std::fgets(line, sizeof line, status) != nullptr)
    if (std::strncmp(line, "VmData:", 7) == 0) std::sscanf(line + 7, "%ld", &kb);
  std::fclose(status);
  return kb;
}

}  // namespace

int main() {
  long before = 0;
  for (int i = 0; i < 2100; ++i) {
    std::thread(use).join();
    if (i == 100) before = mapped_kb();
  }
  std::printf("%ld\n", mapped_kb() - before);
}
