// Kokkos' CUDA space as a backend: the shared ops in Kokkos' form on a GPU. Kokkos launches, and
// the rig of the CUDA backend times and checks.
#pragma once

#include <string>
#include <typeinfo>
#include <vector>

#include <Kokkos_Core.hpp>

#include "backends/cuda/worker/cuda_worker.hpp"
#include "backends/kokkos/kokkos_pool.hpp"
#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// Returns the CUDA space on a stream, made once per stream and kept until Kokkos ends.
[[nodiscard]] const Kokkos::Cuda& space_on(cudaStream_t stream);

/// Returns the type's C++ name.
[[nodiscard]] std::string name_of(const std::type_info& type);

/// Returns the rows of the CUDA space with type T. void selects ops without a type.
template <class T> std::vector<measurable> device_rows();

class cuda_space final : public cuda::cuda_worker_backend {
 public:
  /// `threads` must outlive this object.
  explicit cuda_space(thread_pool& threads);
  ~cuda_space() override;
  cuda_space(const cuda_space&) = delete;
  cuda_space& operator=(const cuda_space&) = delete;

  [[nodiscard]] std::string name() const override { return "kokkos-cuda"; }
  [[nodiscard]] std::string native_of() const override { return "cuda"; }
  [[nodiscard]] nlohmann::json runtime() const override;
  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override;

 private:
  thread_pool& threads_;
};

}  // namespace syncmeter::kokkos
