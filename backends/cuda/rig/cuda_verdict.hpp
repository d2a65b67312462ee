// The oracle of GPU samples: its kernels run behind a sample's launches, and the host judges their
// findings after the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/lane/cuda_cells.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

/// Call order: prepare for a point, begin, queue behind each sample's last launch, fetch, wait for
/// the stream, then read the samples' verdicts.
class sample_check {
 public:
  void prepare(const measurable& what, const point& where, const cell_layout& layout);
  /// Begins `samples` samples with `places` places each.
  void begin(std::size_t samples, unsigned places, cudaStream_t stream);
  /// Queues the check. `setup` belongs to the first launch. The cells for all launches are at
  /// `places` in `arrays`.
  void queue(const kernel_setup& setup, std::span<std::byte* const, 2> arrays,
             const cell_places& places, cudaStream_t stream);
  /// Queues the copy of the findings.
  void fetch(cudaStream_t stream);
  /// Returns the fault in a sample's first wrong launch, or an empty text. Samples count in queue
  /// order.
  [[nodiscard]] std::string verdict(std::size_t sample) const;

 private:
  [[nodiscard]] std::size_t slot_bytes() const;
  [[nodiscard]] std::size_t sample_bytes() const;
  [[nodiscard]] std::string verdict_of(const std::byte* slot, std::uint64_t ops) const;
  [[nodiscard]] std::string verdict_of_one(std::uint64_t held, const lane_outcome& lane,
                                           std::uint64_t ops) const;
  [[nodiscard]] std::string verdict_of_mailboxes(std::span<const std::uint64_t> tokens,
                                                 std::uint64_t rotations) const;

  const measurable* what_ = nullptr;
  cell_layout layout_;
  std::size_t arrays_ = 0;           ///< checked arrays, 1 for results alone
  std::size_t mailboxes_ = 0;        ///< checked mailboxes, 0 except for handoffs
  unsigned slots_ = 1;               ///< per array: its places in a sample
  std::vector<cell_places> places_;  ///< for each sample
  device_buffer found_;              ///< per sample a slot for each place of each array
  pinned_buffer seen_;
};

}  // namespace syncmeter::cuda
