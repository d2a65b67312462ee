// The main program of syncmeter-cuda, and of every worker with a user's CUDA ops.
#include "backends/cuda/groups.hpp"
#include "backends/cuda/worker/cuda_worker.hpp"

namespace syncmeter::cuda {
namespace {

worker_backends make_backends() {
  auto backend = std::make_shared<cuda_worker_backend>(SM_BACKEND_NAME, row_groups());
  return {backend, {backend.get()}};
}

}  // namespace
}  // namespace syncmeter::cuda

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &cuda::make_backends, argc, argv);
}
