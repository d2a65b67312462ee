// The oracle of GPU samples: its kernels are queued behind a sample's launches, and what they found
// is judged when the stream is done.
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

/// In turn: prepare for a point; then begin; queue behind the last launch of each sample; fetch,
/// wait for the stream, and the samples' verdicts.
class sample_check {
 public:
  void prepare(const measurable& what, const point& where, const cell_layout& layout);
  /// `samples` of them come, with `places` places each.
  void begin(std::size_t samples, unsigned places, cudaStream_t stream);
  /// `setup` is that of the first launch; its cells, and those of the others, lie at `places` of
  /// `arrays`.
  void queue(const kernel_setup& setup, std::span<std::byte* const, 2> arrays,
             const cell_places& places, cudaStream_t stream);
  /// Queues the copy of what was found.
  void fetch(cudaStream_t stream);
  /// Of a sample, in the order in which they were queued: empty when every launch was right, else
  /// what is wrong with the first that was not.
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
  std::size_t arrays_ = 0;           ///< that are checked; 1 where only results are
  std::size_t mailboxes_ = 0;        ///< that are checked; 0 for all but handoffs
  unsigned slots_ = 1;               ///< of an array: its places in a sample
  std::vector<cell_places> places_;  ///< of each sample
  device_buffer found_;              ///< of each sample a slot for each place of each array
  pinned_buffer seen_;
};

}  // namespace syncmeter::cuda
