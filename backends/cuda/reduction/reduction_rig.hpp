// Reductions of one array, queued by the host: makes the input, moves its maximum for each sample,
// and checks every result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/reduction/reduction_kernels.hpp"
#include "backends/cuda/rig/host_loop.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

/// op_info::kind for array ops. library_maximum: a library computes it, in its own memory.
enum class array_op : std::uint8_t { maximum, library_maximum, read, copy };

class reduction_rig : public host_loop_rig {
 public:
  using host_loop_rig::host_loop_rig;

  /// Adds "footprint_bytes" and "fits_l2".
  void describe(nlohmann::json& visit) const override;

  /// Returns the lane's queue of calls.
  [[nodiscard]] reduction_call& call() { return call_; }

 private:
  /// Also runs the form on small inputs likely to expose errors: all negative, the maximum in the
  /// first or the last element, zeros of both signs, irregular sizes. Throws std::runtime_error for
  /// a wrong result.
  void prepare_point() override;
  void begin_sample() override;
  void wait() override { SM_CUDA(cudaStreamSynchronize(call_.stream)); }
  [[nodiscard]] std::string verdict(std::uint64_t ops) override;
  [[nodiscard]] std::size_t bytes() const { return call_.elements * size_of(call_.type); }
  [[nodiscard]] bool finds_maximum() const {
    return kind_ == array_op::maximum || kind_ == array_op::library_maximum;
  }
  void require_supported() const;
  void fit_memory();
  void fit_scratch(reduction_call& call);
  template <class T> void check_small_inputs();
  template <class T> void check_input();
  void plant();
  [[nodiscard]] std::uint64_t
  ask(void (*reference)(const reduction_call&, const void*, std::uint64_t*), const void* from);
  /// Compares the last results of a call. Returns an empty text if all are right.
  [[nodiscard]] std::string compare(const reduction_call& call, std::uint64_t expected);

  array_op kind_ = array_op::maximum;
  reduction_call call_;
  stream stream_;
  device_buffer data_, copy_, small_, results_, scratch_, answer_;
  std::size_t data_bytes_ = 0, copy_bytes_ = 0;
  pinned_buffer host_results_;
  std::uint64_t seed_ = 1;
  std::uint64_t draw_ = 1;
  std::uint32_t place_ = 0;     ///< the maximum in `data_`
  std::uint64_t expected_ = 0;  ///< bit pattern for every result
};

/// Returns the reductions for every type, with their rig and declared calls.
[[nodiscard]] row_group reduction_group();

}  // namespace syncmeter::cuda
