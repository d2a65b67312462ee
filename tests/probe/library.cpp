// A library that is loaded late, and brings its OpenMP runtime along.
extern "C" void barriers() {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100; ++i) {
#pragma omp barrier
  }
}
