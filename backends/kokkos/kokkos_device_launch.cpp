// Kokkos' launches on a GPU with every policy, and its fence. One host thread runs the loop. Lanes
// and blocks apply to the kernel if the policy has them. test - baseline == one more launch.
// Compiled by the host compiler, because the loops are timed.
#include "backends/kokkos/kokkos_device_launch.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/host_loop.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/kokkos/kokkos_device_calls.hpp"
#include "backends/kokkos/kokkos_ops.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::kokkos {
namespace {

using for_call = void (*)(device_launches&);

// Returns the parallel_for of an op, or nullptr for other ops.
for_call counted_call(std::string_view op) {
  if (op == ops::launch_for::info.name) return &on_device::launch_for;
  if (op == ops::launch_team::info.name) return &on_device::launch_team;
  if (op == ops::launch_mdrange::info.name) return &on_device::launch_mdrange;
  return nullptr;
}

}  // namespace

class device_launch_rig final : public cuda::host_loop_rig {
 public:
  explicit device_launch_rig(const cuda::device_facts& device) : host_loop_rig{device} {}

  /// Returns the state for the lane's words.
  [[nodiscard]] device_launches& launches() { return launches_; }

 private:
  void prepare_point() override {
    require_block_fits();
    const launch_shape shape{
        .blocks = where_.blocks, .lanes = where_.lanes, .active = where_.active};
    const unsigned largest_team = what_->info.starts_team ? on_device::largest_team() : 0;
    if (std::string why = why_no_launch(shape, largest_team); !why.empty())
      throw point_refused(std::move(why));
    launches_ = {.shape = shape};
    host_loop_rig::prepare_point();
  }

  // Counts before and after each sample, like the CUDA backend: counting kernels write to memory,
  // which would be timed.
  [[nodiscard]] std::string count_once() {
    const for_call call = counted_call(what_->info.name);
    if (call == nullptr) return {};
    launches_.counts = static_cast<device_count*>(counts_.fit(sizeof(device_count)));
    SM_CUDA(cudaMemset(launches_.counts, 0, sizeof(device_count)));
    SM_CUDA(cudaDeviceSynchronize());
    call(launches_);
    device_count counted = 0;
    SM_CUDA(cudaMemcpy(&counted, launches_.counts, sizeof counted, cudaMemcpyDeviceToHost));
    launches_.counts = nullptr;
    return wrong_count(what_->info.name, counted, launches_.shape);
  }

  void begin_sample() override {
    before_ = count_once();
    launches_.difference = 0;
    on_device::fence();
  }
  void wait() override { on_device::fence(); }
  [[nodiscard]] std::string verdict(std::uint64_t ops) override {
    if (!before_.empty()) return before_;
    if (launches_.difference != 0) return fmt::format("oracle: wrong sums among {}", ops);
    return count_once();
  }

  cuda::device_buffer counts_;
  std::string before_;
  device_launches launches_;
};

/// The host's lane with Kokkos' words. Type and form are unused. Not in an unnamed namespace,
/// because the census finds the loops by symbol.
template <class T, class Form> struct device_launch_lane {
  explicit device_launch_lane(device_launch_rig& rig) : all{&rig.launches()} {}
  /// Returns 0, because the rig checks the results.
  [[nodiscard]] SM_FN int outcome() const { return 0; }

  SM_FN void host_fence() const { on_device::fence(); }
  SM_FN void launch_for() const { on_device::launch_for(*all); }
  SM_FN void launch_team() const { on_device::launch_team(*all); }
  SM_FN void launch_mdrange() const { on_device::launch_mdrange(*all); }
  SM_FN void launch_reduce() const { on_device::launch_reduce(*all); }
  SM_FN void launch_team_reduce() const { on_device::launch_team_reduce(*all); }
  SM_FN void launch_mdrange_reduce() const { on_device::launch_mdrange_reduce(*all); }

  device_launches* all;
};

namespace {

// A loop of launches is a loop of calls: one more op is one more call.
nlohmann::json declares(const measurable& row) {
  const auto name = row.info.name == ops::kokkos_fence::info.name ? "fence" : row.info.name;
  return {{"x86-64", fmt::format("call:syncmeter::kokkos::on_device::{} 1", name)}};
}

}  // namespace

cuda::row_group device_launch_group() {
  static constexpr auto rows =
      bind_untyped<cuda::host_loop_backend<device_launch_rig, device_launch_lane>>(launch_ops{});
  return {{rows.begin(), rows.end()}, &cuda::make_rig<device_launch_rig>, &declares};
}

}  // namespace syncmeter::kokkos
