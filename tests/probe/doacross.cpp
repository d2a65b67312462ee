// Loops whose iterations wait for others that they name by a number for each level, of which eight
// are more than registers hold; prints how many waits there are, as the compiler calls for them,
// and what came of it.
#include <cstdio>

namespace {

constexpr int rows = 40, columns = 3;
#if defined(__clang__)
constexpr bool asks_for_all = true;  // also for what is no iteration
#else
constexpr bool asks_for_all = false;
#endif
unsigned table[rows + 1][columns + 1];

/// One thread's rows take long, so that the other one comes too early where it does not wait.
unsigned later(unsigned value, bool is_slow) {
  for (int i = 0; i < (is_slow ? 20'000 : 20); ++i) asm volatile("" : "+r"(value));
  return value;
}

/// Each cell is of the one above, which another thread may have, and of the one before.
template <class Number> int fill(Number end, Number columns_end) {
#pragma omp for ordered(2) schedule(static, 1)
  for (Number i = 1; i < end; ++i)
    for (Number j = 1; j < columns_end; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      table[i][j] = later(3 * table[i - 1][j] + 5 * table[i][j - 1] + 1, i % 2 == 1);
#pragma omp ordered depend(source)
    }
  return asks_for_all ? 2 * rows * columns : (rows - 1) * columns + rows * (columns - 1);
}

/// The number of the column comes last. Other values than before, each time: what is read too early
/// is an old one.
template <class Number> int fill_by_eight(Number end, Number columns_end, unsigned factor) {
#pragma omp for ordered(8) schedule(static, 1)
  for (Number a = 1; a < end; ++a)
    for (Number b = 0; b < 1; ++b)
      for (Number c = 0; c < 1; ++c)
        for (Number d = 0; d < 1; ++d)
          for (Number e = 0; e < 1; ++e)
            for (Number f = 0; f < 1; ++f)
              for (Number g = 0; g < 1; ++g)
                for (Number h = 1; h < columns_end; ++h) {
#pragma omp ordered depend(sink : a - 1, b, c, d, e, f, g, h)
                  table[a][h] =
                      later(factor * table[a - 1][h] + 5 * table[a][h - 1] + 1, a % 2 == 1);
#pragma omp ordered depend(source)
                }
  return asks_for_all ? rows * columns : (rows - 1) * columns;
}

}  // namespace

int main() {
  int waits = 0;
#pragma omp parallel num_threads(2) reduction(max : waits)
  {
    waits = fill<int>(rows + 1, columns + 1);
    waits += fill<unsigned long long>(rows + 1, columns + 1);
    waits += fill_by_eight<long>(rows + 1, columns + 1, 7);
    waits += fill_by_eight<unsigned long long>(rows + 1, columns + 1, 11);
  }
  std::printf("%d %u\n", waits, table[rows][columns]);
}
