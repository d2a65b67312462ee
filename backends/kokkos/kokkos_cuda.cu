#include "backends/kokkos/kokkos_cuda.cuh"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "backends/cuda/rig/cuda_rig.hpp"
#include "backends/kokkos/kokkos_census.hpp"
#include "backends/kokkos/kokkos_device_launch.hpp"

namespace syncmeter::kokkos {
namespace {

struct kept_space {
  cudaStream_t stream = nullptr;
  std::optional<Kokkos::Cuda> space;
};
kept_space kept;

std::vector<measurable> all_device_rows() {
  auto all = device_rows<void>();
  for (auto&& some : {device_rows<std::int32_t>(), device_rows<std::uint32_t>(),
                      device_rows<std::uint64_t>(), device_rows<float>(), device_rows<double>()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace

const Kokkos::Cuda& space_on(cudaStream_t stream) {
  if (!kept.space || kept.stream != stream) {
    kept.space.emplace(stream);
    kept.stream = stream;
  }
  return *kept.space;
}

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : type.name();
}

cuda_space::cuda_space(thread_pool& threads)
    : cuda_worker_backend{"kokkos-cuda",
                          {{all_device_rows(), &cuda::make_rig<cuda::cuda_rig>,
                            &declared_device_instructions},
                           device_launch_group()}},
      threads_{threads} {}

// Destroys the space before Kokkos ends.
cuda_space::~cuda_space() { kept.space.reset(); }

nlohmann::json cuda_space::runtime() const {
  auto all = kokkos_build();
  const auto of_cuda = cuda_worker_backend::runtime();
  all["cuda"] = of_cuda.at("api");
  all["driver"] = of_cuda.at("driver");
  all["space"] = "Cuda";
  return all;
}

bench& cuda_space::prepare(const measurable& row, const point& where, const lane_request& lanes) {
  static_cast<void>(cuda::use_device(lanes.device));
  threads_.need_none(lanes.device);
  return cuda_worker_backend::prepare(row, where, lanes);
}

}  // namespace syncmeter::kokkos
