// Kokkos' CUDA space as a backend: what Kokkos makes of the shared ops on a GPU, launched by
// Kokkos, timed and checked by the rig of the CUDA backend.
#pragma once

#include <string>
#include <typeinfo>
#include <vector>

#include <Kokkos_Core.hpp>

#include "backends/cuda/worker/cuda_worker.hpp"
#include "backends/kokkos/kokkos_pool.hpp"
#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// The CUDA space on a stream, made once for each and kept until Kokkos goes.
[[nodiscard]] const Kokkos::Cuda& space_on(cudaStream_t stream);

/// A type as C++ writes it.
[[nodiscard]] std::string name_of(const std::type_info& type);

/// The rows of the CUDA space that have type T; void for the ops without one.
template <class T> std::vector<measurable> device_rows();

class cuda_space final : public cuda::cuda_worker_backend {
 public:
  /// `threads` must outlive this.
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
