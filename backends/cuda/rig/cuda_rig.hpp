// Takes samples on one GPU: memory for one point, launches, clocks, and the check of every sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/lane/cuda_cells.hpp"
#include "backends/cuda/ops/walk.hpp"
#include "backends/cuda/rig/cuda_verdict.hpp"
#include "backends/cuda/rig/device_objects.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/harness/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

/// A litmus kernel, and how it gets into a stream: CUDA's by its stub, another API's by that API.
struct kernel_call {
  const void* stub = nullptr;
  /// `arguments`: addresses of the kernel's parameters, as cudaLaunchKernel takes them.
  void (*launch)(const void* stub, const launch_shape& shape, void** arguments) = &launch_stub;
};

class cuda_rig : public gpu_rig {
 public:
  explicit cuda_rig(const device_facts& device);

  /// Moves the cells: which slice of L2 serves an address, near or far, is half of what its access
  /// costs, so that each round takes another one.
  void begin_round() override;

  /// Runs a litmus kernel once; how often it saw what must not be.
  std::uint64_t run_litmus(const kernel_call& kernel, bool one_block);
  /// The same in a launch of the caller's choice.
  std::uint64_t run_litmus(const kernel_call& kernel, launch_shape shape);
  /// For the bodies of rows whose kernels another API launches.
  [[nodiscard]] launch_shape shape() const;
  [[nodiscard]] const kernel_setup& setup() const { return setup_; }
  [[nodiscard]] std::uint32_t trips_of_launch() const { return launch_trips_; }
  /// Which ring the loads of the point walk; made when it is another one than before.
  void walk_on(walk ring);

  /// Adds "footprint_bytes", "fits_l2" and "registers".
  void describe(nlohmann::json& visit) const override;

 protected:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  /// What the ops of one study need beside cells and mailboxes: called once the memory of a point
  /// is there. May throw point_refused.
  virtual void prepare_more() {}
  /// Queued before each launch, outside the clock.
  virtual void queue_more_resets() {}
  /// Bytes of a cell that is of none of the types of the type axis: what it begins with and has to
  /// hold in the end, its rig knows. 0: a cell is of the op's type, where the op has one.
  [[nodiscard]] virtual std::size_t own_cell_bytes() const { return 0; }
  /// Where the cells lie: in the device's own memory.
  [[nodiscard]] virtual std::byte* first_array() const {
    return static_cast<std::byte*>(cells_.get());
  }
  [[nodiscard]] std::size_t array_bytes() const;
  [[nodiscard]] std::size_t threads() const { return std::size_t{where_.lanes} * where_.blocks; }
  [[nodiscard]] std::size_t warps() const {
    return std::size_t{warps_in(where_.lanes)} * where_.blocks;
  }

  /// Where the launches of the sample under way find their cells.
  [[nodiscard]] cell_places places_for(std::size_t index) const;
  [[nodiscard]] std::array<std::byte*, 2> arrays() const;

  stream stream_;
  kernel_setup setup_;
  cell_layout layout_;

 private:
  [[nodiscard]] bool has_own_cells() const;
  [[nodiscard]] bool uses_lock() const { return what_->info.family == family::critical; }
  void use_place(const cell_places& places, unsigned launch);
  void fit_memory();
  void move_ring();
  void queue_resets(const cell_places& places);
  void read_clocks(sample& taken, std::size_t launches);
  [[nodiscard]] bool is_over_with_its_loop() const;
  void read_sharing(sample& taken, std::span<const block_record> blocks) const;
  [[nodiscard]] unsigned resident_blocks(const void* stub);
  void check_resources(const void* stub);
  void check_clusters(const void* stub);
  void launch(std::size_t index, std::uint32_t trips);
  [[nodiscard]] std::int64_t start_clock();

  event begin_, end_;
  std::uint32_t launch_trips_ = 0;  ///< of the launch under way
  std::size_t arrays_ = 0;
  unsigned most_launches_ = 1;           ///< in one sample
  std::size_t shared_bytes_ = 0;         ///< of a block, that a launch asks for
  std::size_t static_shared_bytes_ = 0;  ///< that the kernel has beside it
  int registers_ = 0;
  device_buffer cells_, second_cells_, mailboxes_, ring_, ones_, gate_, outcomes_, sinks_, records_,
      litmus_;
  walk ring_kind_ = walk::none;
  std::uint64_t ring_start_ = 1;
  std::uint64_t cell_draw_ = 1;
  pinned_buffer host_records_;
  device_objects objects_;
  sample_check check_;
};

}  // namespace syncmeter::cuda
