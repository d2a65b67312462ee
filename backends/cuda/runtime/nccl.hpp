// NVIDIA's library of collectives, where it is installed: it is looked for when the first point
// needs it. Its use of NVLink multicast is switched off.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace syncmeter::cuda {

/// One communicator for each device of a point. Move-only in spirit: neither copied nor moved.
class nccl_group {
 public:
  /// Throws point_refused where the library is missing, or cannot join these devices.
  explicit nccl_group(const std::vector<int>& devices);
  ~nccl_group();
  nccl_group(const nccl_group&) = delete;
  nccl_group& operator=(const nccl_group&) = delete;

  /// Queues an all-reduce of one int32 (sum) on every device; `from` and `to` are one word of
  /// device memory each, by device. False when the library refused it.
  [[nodiscard]] bool all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                                const std::vector<cudaStream_t>& streams);
  /// Ends what is under way: of kernels that wait for one that does not come.
  void abort();
  /// "2.27.7"
  [[nodiscard]] std::string version() const;

 private:
  std::vector<void*> communicators_;
};

}  // namespace syncmeter::cuda
