// Kernels and a fence of Kokkos itself, each as often as the test knows.
#include <vector>

#include <Kokkos_Core.hpp>

using policy = Kokkos::RangePolicy<Kokkos::OpenMP>;
constexpr int length = 1000;

[[gnu::noinline]] void scale(int* values) {
  Kokkos::parallel_for("scale", policy(0, length), [=](int i) { values[i] = i % 7; });
}
[[gnu::noinline]] int sum_up(const int* values) {
  int sum = 0;
  Kokkos::parallel_reduce(
      "sum up", policy(0, length), [=](int i, int& to) { to += values[i]; }, sum);
  return sum;
}
[[gnu::noinline]] void accumulate(int* values) {
  Kokkos::parallel_scan("accumulate", policy(0, length), [=](int i, int& to, bool is_last) {
    to += values[i];
    if (is_last) values[i] = to;
  });
}
[[gnu::noinline]] void wait() { Kokkos::OpenMP().fence("wait"); }

int main(int count, char** words) {
  const Kokkos::ScopeGuard kokkos(count, words);
  std::vector<int> values(length);
  int sum = 0;
  for (int i = 0; i < 40; ++i) scale(values.data());
  for (int i = 0; i < 30; ++i) sum += sum_up(values.data());
  for (int i = 0; i < 20; ++i) accumulate(values.data());
  for (int i = 0; i < 10; ++i) wait();
  return sum == 0;
}
