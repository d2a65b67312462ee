// The objects of an op's own on a GPU: one is made on the host, and copied as bytes to wherever the
// point has one; after a sample they are copied back, and checked there.
#pragma once

#include <string>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/cell_object.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

class device_objects {
 public:
  /// Makes room for those of a point, and tells `setup` where it is. Throws cuda_error.
  void prepare(const object_kind& kind, const point& where, kernel_setup& setup);
  /// Queues new ones for a launch of so many blocks, no more than prepared, of so many lanes.
  void queue(unsigned blocks, unsigned lanes, cudaStream_t stream);
  /// What is wrong with one of the last launch, in which each lane did `ops` ops; empty when
  /// nothing is. Waits for the stream.
  [[nodiscard]] std::string check(std::uint64_t ops, cudaStream_t stream);

 private:
  [[nodiscard]] std::size_t count(unsigned blocks, unsigned lanes) const;

  object_kind kind_;
  point where_;
  std::size_t pitch_ = 0, count_ = 0;
  sharers who_;
  device_buffer image_, objects_;
  pinned_buffer host_;
};

}  // namespace syncmeter::cuda
