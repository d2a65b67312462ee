// Makes calls of Kokkos, as a tool sees them, each as often as the test knows. Prints which tools
// it has been given, and whether they ask for fences. A word makes further calls.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "Kokkos_tool_calls.hpp"

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
[[gnu::noinline]] void nest_deeply(int levels) {
  if (levels > 0) Kokkos::serial_for("deep", [&] { nest_deeply(levels - 1); });
}
[[gnu::noinline]] void wait() { Kokkos::fence("wait"); }
[[gnu::noinline]] void without_kokkos() {
#pragma omp parallel num_threads(2)
  values[0] = 1;
}
[[gnu::noinline]] void throw_in(int levels) {
  Kokkos::serial_for("thrower", [&] {
    if (levels == 1) throw levels;
    throw_in(levels - 1);
  });
}
[[gnu::noinline]] void catch_from(int levels) {
  try {
    throw_in(levels);
  } catch (int) {
  }
}
/// Further down the stack than what was thrown through.
[[gnu::noinline]] void far_down() {
  volatile char room[100'000];
  room[0] = 0;
  by_label("far down");
  room[1] = 0;
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
  const auto has_word = [&](const char* word) {
    return count > 1 && std::strcmp(words[1], word) == 0;
  };
  if (has_word("throw")) {
    for (int i = 0; i < 9; ++i) catch_from(1);
    by_label("good");
    without_kokkos();
  }
  if (has_word("thread")) {
    std::thread([] { catch_from(8); }).join();
    std::thread(far_down).join();
  }
  if (has_word("labels"))
    for (int i = 0; i < 100; ++i) by_label(("step " + std::to_string(i)).c_str());
  std::printf("%s\n", Kokkos::settings[0] ? "fences around kernels" : "as it is");
  std::fflush(stdout);
  if (has_word("fork")) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) Kokkos::serial_for("second", [] {});
      nest_deeply(1);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (has_word("abort")) std::abort();
}
