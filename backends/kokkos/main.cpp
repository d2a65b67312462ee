// syncmeter-kokkos: the worker that measures Kokkos, one backend for each execution space.
#include <memory>
#include <vector>

#include "backends/kokkos/kokkos_host.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/kokkos/kokkos_cuda.cuh"
#endif

namespace syncmeter::kokkos {
namespace {

int run(int argc, char** argv) {
  thread_pool threads;
  shared_objects objects;
  std::vector<std::unique_ptr<worker_backend>> spaces;
#if defined(KOKKOS_ENABLE_OPENMP)
  spaces.push_back(std::make_unique<host_space<Kokkos::OpenMP>>(threads, objects));
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  spaces.push_back(std::make_unique<host_space<Kokkos::Threads>>(threads, objects));
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  spaces.push_back(std::make_unique<host_space<Kokkos::Serial>>(threads, objects));
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  spaces.push_back(std::make_unique<cuda_space>(threads));
#endif
  std::vector<worker_backend*> backends;
  backends.reserve(spaces.size());
  for (const auto& space : spaces) backends.push_back(space.get());
  return run_worker({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, backends, argc, argv);
}

}  // namespace
}  // namespace syncmeter::kokkos

int main(int argc, char** argv) {
  return syncmeter::worker_main(SM_BACKEND_NAME, &syncmeter::kokkos::run, argc, argv);
}
