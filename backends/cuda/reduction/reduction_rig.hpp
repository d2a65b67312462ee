// Reductions of one array, queued by the host: makes the input, plants its maximum at another place
// for each sample, and checks every result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/ops/array_op.hpp"
#include "backends/cuda/reduction/reduction_kernels.hpp"
#include "backends/cuda/rig/host_loop.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

class reduction_rig : public host_loop_rig {
 public:
  explicit reduction_rig(const device_facts& device) : device_{device} {}

  /// Also runs the form on small inputs that a wrong one gets wrong: all negative, the maximum in
  /// the first or the last element, zeros of both signs, sizes that are a multiple of nothing.
  /// Throws std::runtime_error when a result is wrong.
  void prepare(const measurable& what, const point& where) override;
  void describe(nlohmann::json& visit) const override;

  void begin_sample() override;
  void wait() override;
  [[nodiscard]] std::string verdict(std::uint64_t ops) override;

  /// What the lane queues.
  [[nodiscard]] reduction_call& call() { return call_; }

 private:
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
  /// Compares the results of a call's last reductions; empty when all are right.
  [[nodiscard]] std::string compare(const reduction_call& call, std::uint64_t expected);

  const device_facts& device_;
  point where_;
  array_op kind_ = array_op::maximum;
  reduction_call call_;
  stream stream_;
  device_buffer data_, copy_, small_, results_, scratch_, answer_;
  std::size_t data_bytes_ = 0, copy_bytes_ = 0;
  pinned_buffer host_results_;
  std::uint64_t seed_ = 1;
  std::uint64_t draw_ = 1;
  std::uint32_t place_ = 0;     ///< of the maximum in `data_`
  std::uint64_t expected_ = 0;  ///< bit pattern of every result
};

/// The reductions, of every type.
[[nodiscard]] std::vector<measurable> reduction_rows();

/// What one op of them is: a call each. What the kernels behind it are made of is not in a loop of
/// ours, and not declared.
[[nodiscard]] nlohmann::json declared_reductions(const measurable& row);

}  // namespace syncmeter::cuda
