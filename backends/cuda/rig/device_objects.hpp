// An op's own objects on a GPU. The host makes one and copies its bytes to every place the point
// uses. After a sample it copies them back and checks them.
#pragma once

#include <string>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/cell_object.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

class device_objects {
 public:
  /// Makes room for a point's objects and enters it into `setup`. Throws cuda_error.
  void prepare(const object_kind& kind, const point& where, kernel_setup& setup);
  /// Queues new objects for a launch with `blocks` blocks, at most the prepared number, of `lanes`
  /// lanes.
  void queue(unsigned blocks, unsigned lanes, cudaStream_t stream);
  /// Returns the fault in an object after the last launch, with `ops` ops per lane, or an empty
  /// text. Waits for the stream.
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
