// NVIDIA's library of collectives, searched for when the first point needs it. NVLink multicast is
// switched off.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace syncmeter::cuda {

/// One communicator per device in a point. Neither copied nor moved.
class nccl_group {
 public:
  /// Throws point_refused if the library is missing, or cannot join these devices.
  explicit nccl_group(const std::vector<int>& devices);
  ~nccl_group();
  nccl_group(const nccl_group&) = delete;
  nccl_group& operator=(const nccl_group&) = delete;

  /// Queues an all-reduce of one int32 (sum) on every device. `from` and `to` have one word of
  /// device memory per device. Returns false if the library refused.
  [[nodiscard]] bool all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                                const std::vector<cudaStream_t>& streams);
  /// Ends running work: aborts kernels that wait for a missing kernel.
  void abort();
  /// Returns for example "2.27.7".
  [[nodiscard]] std::string version() const;

 private:
  std::vector<void*> communicators_;
};

}  // namespace syncmeter::cuda
