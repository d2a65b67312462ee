// Samples on one GPU: memory for one point, launches, clocks, and the check of every sample.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
#include "backends/cuda/rig/queue_hold.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/harness/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

/// A litmus kernel and its launch function: CUDA launches by the stub, another API by its own call.
struct kernel_call {
  const void* stub = nullptr;
  /// `arguments`: addresses of the kernel's parameters, as for cudaLaunchKernel.
  void (*launch)(const void* stub, const launch_shape& shape, void** arguments) = &launch_stub;
};

/// Bytes for a launch's gate, which starts its blocks together.
inline constexpr std::size_t gate_line_bytes = 256;

class cuda_rig : public gpu_rig {
 public:
  explicit cuda_rig(const device_facts& device);

  /// Moves the cells in each round, because their L2 slice, near or far, decides half of an access
  /// cost.
  void begin_round() override;
  /// Takes all samples at once, unless something must be checked between them.
  void expect(std::span<const std::vector<std::size_t>> rounds, std::uint32_t trips) override;

  /// Runs a litmus kernel once. Returns the number of forbidden outcomes.
  std::uint64_t run_litmus(const kernel_call& kernel, bool one_block);
  /// Does the same in the caller's launch shape.
  std::uint64_t run_litmus(const kernel_call& kernel, launch_shape shape);
  /// For row bodies with kernels launched by another API.
  [[nodiscard]] launch_shape shape() const;
  [[nodiscard]] const kernel_setup& setup() const { return setup_; }
  [[nodiscard]] std::uint32_t trips_of_launch() const { return launch_trips_; }
  /// Selects the ring for the point's loads, and makes it again if it changed.
  void walk_on(walk ring);

  /// Adds "footprint_bytes", "fits_l2" and "registers".
  void describe(nlohmann::json& visit) const override;

 protected:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  /// Prepares memory besides cells and mailboxes for the ops of one study, after the point's own
  /// memory. May throw point_refused.
  virtual void prepare_more() {}
  /// Returns true if samples of the point can wait in one queue.
  [[nodiscard]] virtual bool can_wait_in_queue() const;
  /// Queues resets before each launch, outside the clock.
  virtual void queue_more_resets() {}
  /// Returns the bytes of a cell outside the type axis, whose first and last value the rig knows.
  /// 0: the cell has the op's type, if any.
  [[nodiscard]] virtual std::size_t own_cell_bytes() const { return 0; }
  /// Returns the cells' array, in the device's own memory.
  [[nodiscard]] virtual std::byte* first_array() const {
    return static_cast<std::byte*>(cells_.get());
  }
  [[nodiscard]] std::size_t array_bytes() const;
  [[nodiscard]] std::size_t threads() const { return std::size_t{where_.lanes} * where_.blocks; }
  [[nodiscard]] std::size_t warps() const {
    return std::size_t{warps_in(where_.lanes)} * where_.blocks;
  }

  /// Returns the cell places for launches of the current sample.
  [[nodiscard]] cell_places places_for(std::size_t index) const;
  [[nodiscard]] std::array<std::byte*, 2> arrays() const;

  stream stream_;
  kernel_setup setup_;
  cell_layout layout_;

 private:
  /// Events around a sample with a single launch.
  struct sample_clocks {
    event begin, end;
  };

  [[nodiscard]] bool has_own_cells() const;
  [[nodiscard]] bool uses_lock() const { return what_->info.family == family::critical; }
  void use_place(const cell_places& places, unsigned launch);
  void fit_memory();
  void move_ring();
  void queue_resets(const cell_places& places);
  [[nodiscard]] unsigned launches() const {
    return std::bit_floor(std::min(trips_, most_launches_));
  }
  [[nodiscard]] std::size_t sample_records() const {
    return std::size_t{launches()} * where_.blocks;
  }
  [[nodiscard]] const sample_clocks& clocks_of(std::size_t at) const { return clocks_of_[at]; }
  void begin_queue(std::size_t samples);
  std::int64_t queue_sample(std::size_t index, bool by_host);
  void fetch_queue();
  [[nodiscard]] sample read_sample(std::size_t at);
  void read_clocks(sample& taken, std::span<const block_record> all, const sample_clocks& clocks);
  [[nodiscard]] bool is_over_with_its_loop() const;
  void read_sharing(sample& taken, std::span<const block_record> blocks) const;
  [[nodiscard]] unsigned resident_blocks(const void* stub);
  void check_resources(const void* stub);
  void check_clusters(const void* stub);
  void launch(std::size_t index, std::uint32_t trips);

  std::vector<sample_clocks> clocks_of_;  ///< for each queued sample
  std::size_t queued_ = 0;                ///< samples
  std::vector<std::size_t> expected_;     ///< first samples of the rounds taken at once
  std::size_t expected_at_ = 0;           ///< the next such round
  std::size_t next_sample_ = 0;
  queue_hold hold_;
  bool in_queue_ = false;           ///< the current round was taken at once
  std::uint32_t launch_trips_ = 0;  ///< of the current launch
  std::size_t arrays_ = 0;
  unsigned most_launches_ = 1;           ///< in one sample
  std::size_t shared_bytes_ = 0;         ///< dynamic, per block
  std::size_t static_shared_bytes_ = 0;  ///< static, per block
  int registers_ = 0;
  device_buffer cells_, second_cells_, mailboxes_, ring_, ones_, gates_, outcomes_, sinks_,
      records_, litmus_;
  walk ring_kind_ = walk::none;
  std::uint64_t ring_start_ = 1;
  std::uint64_t cell_draw_ = 1;
  pinned_buffer host_records_;
  device_objects objects_;
  sample_check check_;
};

}  // namespace syncmeter::cuda
