// Heat spreads over a grid: each thread computes its rows of the next state from the last one, and
// all meet after each sweep.
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "meeting.hpp"

#ifndef TIMES
#define TIMES 1
#endif
constexpr int sweeps = TIMES * 4'000;
constexpr unsigned threads = 2;
constexpr std::size_t size = 66;  // with the border, which stays as it is

using grid = std::vector<double>;

void relax(unsigned me, grid* last, grid* next, meeting& all) {
  const std::size_t rows = (size - 2) / threads;
  const std::size_t first = 1 + me * rows;
  for (int s = 0; s < sweeps; ++s) {
    for (std::size_t y = first; y < first + rows; ++y)
      for (std::size_t x = 1; x < size - 1; ++x) {
        const std::size_t at = y * size + x;
        (*next)[at] =
            0.25 * ((*last)[at - size] + (*last)[at - 1] + (*last)[at + 1] + (*last)[at + size]);
      }
    all.wait();
    std::swap(last, next);
  }
}

int main() {
  grid a(size * size), b;
  for (std::size_t x = 0; x < size; ++x) a[x] = 100;
  b = a;
  meeting all(threads);
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back([&, t] { relax(t, &a, &b, all); });
  relax(0, &a, &b, all);
  for (std::thread& other : others) other.join();
  double sum = 0;
  for (const double each : a) sum += each;
  std::printf("%.6f\n", sum);
}
