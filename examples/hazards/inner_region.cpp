// A parallel region in an inner loop: the team is called and dismissed for each row.
// Slow: a region for each of `rows` rows. Fixed (-DFIXED): one region, in which the loop over rows
// runs.
#include <cstdio>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int rows = TIMES * 20'000, columns = 400;

int main() {
  std::vector<double> sums(rows), row(columns, 1.5);
#ifdef FIXED
#pragma omp parallel for num_threads(2)
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += row[c];
    sums[r] = sum;
  }
#else
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int c = 0; c < columns; ++c) sum += row[c];
    sums[r] = sum;
  }
#endif
  std::printf("%.1f\n", sums[rows / 2]);
}
