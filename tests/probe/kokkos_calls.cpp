// Makes calls of Kokkos, as a tool sees them, each as often as the test knows. Prints which tools
// it has been given, and whether they ask for fences.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "Kokkos_as_a_tool_sees_it.hpp"

int values[2] = {};

[[gnu::noinline]] void step_twice() {
  Kokkos::parallel_for("first", 2, [](int i) { ++values[i]; });
  Kokkos::parallel_for("second", 2, [](int i) { ++values[i]; });
}
[[gnu::noinline]] void by_label(const char* label) {
  Kokkos::parallel_for(label, 2, [](int i) { ++values[i]; });
}
[[gnu::noinline]] void sum_up() {
  values[0] += static_cast<int>(Kokkos::parallel_reduce("sum", 2, [](int i) { ++values[i]; }));
}
[[gnu::noinline]] void nest() {
  Kokkos::serial_for("outer", [] {
    by_label("inner");
    Kokkos::parallel_scan("innermost");
    by_label("inner");
  });
}
void nest_deeply(int levels) {
  if (levels > 0) Kokkos::serial_for("deep", [&] { nest_deeply(levels - 1); });
}
[[gnu::noinline]] void wait() { Kokkos::fence("wait"); }
[[gnu::noinline]] void without_kokkos() {
#pragma omp parallel num_threads(2)
  values[0] = 1;
}

int main(int count, char** words) {
  const char* const tools = std::getenv("KOKKOS_TOOLS_LIBS");
  std::printf("%s\n", tools == nullptr ? "no tools" : tools);
  Kokkos::initialize();
  for (int i = 0; i < 100; ++i) step_twice();
  for (int i = 0; i < 60; ++i) by_label(i % 3 == 0 ? "rare" : "often");
  for (int i = 0; i < 20; ++i) sum_up();
  for (int i = 0; i < 10; ++i) nest();
  nest_deeply(20);
  for (int i = 0; i < 5; ++i) wait();
  without_kokkos();
  by_label(std::string(5000, 'l').c_str());
  std::thread([] { step_twice(); }).join();
  std::printf("%s\n", Kokkos::settings[0] ? "fences around kernels" : "as it is");
  std::fflush(stdout);
  if (count > 1 && std::strcmp(words[1], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) Kokkos::serial_for("second", [] {});
      nest_deeply(1);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (count > 1 && std::strcmp(words[1], "abort") == 0) std::abort();
}
