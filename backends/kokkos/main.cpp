// syncmeter-kokkos: the worker that measures Kokkos, one backend for each execution space.
#include <memory>
#include <vector>

#include "backends/kokkos/kokkos_host.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/kokkos/kokkos_cuda.cuh"
#endif

namespace syncmeter::kokkos {
namespace {

struct worker_state {
  thread_pool threads;
  shared_objects objects;
  std::vector<std::unique_ptr<worker_backend>> spaces;
};

worker_backends make_backends() {
  auto state = std::make_shared<worker_state>();
  auto& spaces = state->spaces;
#if defined(KOKKOS_ENABLE_OPENMP)
  spaces.push_back(std::make_unique<host_space<Kokkos::OpenMP>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  spaces.push_back(std::make_unique<host_space<Kokkos::Threads>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  spaces.push_back(std::make_unique<host_space<Kokkos::Serial>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  spaces.push_back(std::make_unique<cuda_space>(state->threads));
#endif
  worker_backends backends{state, {}};
  for (const auto& space : spaces) backends.all.push_back(space.get());
  return backends;
}

}  // namespace
}  // namespace syncmeter::kokkos

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &kokkos::make_backends, argc, argv);
}
