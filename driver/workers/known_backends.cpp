#include "driver/workers/known_backends.hpp"

namespace syncmeter {

const std::vector<known_backend>& known_backends() {
  static const std::vector<known_backend> all{
      {.name = "omp",
       .install =
           "a compiler with OpenMP (Debian: g++, or clang with libomp-dev), then build again"},
      {.name = "omp-llvm",
       .install = "clang 14 or newer with libomp (Debian: clang and libomp-dev), then build again",
       .when_named = true},
      {.name = "std",
       .install = "a library with C++20's threads (Debian: g++), then build again",
       .when_named = true},
      {.name = "cuda", .install = "the CUDA Toolkit 12 or newer (nvcc), then build again"},
      {.name = "kokkos",
       .install = "Kokkos 4.6 or newer (Debian: libkokkos-dev, or Kokkos_ROOT where it was "
                  "installed), then build again",
       .several = true}};
  return all;
}

}  // namespace syncmeter
