// Device memory by OpenMP's own functions.
#pragma once

#include <omp.h>

#include <cstddef>
#include <stdexcept>

namespace syncmeter::omp_target {

/// A growing buffer, freed by the destructor.
class target_memory {
 public:
  explicit target_memory(int device) : device_{device} {}
  ~target_memory() { omp_target_free(at_, device_); }
  target_memory(const target_memory&) = delete;
  target_memory& operator=(const target_memory&) = delete;

  /// Returns at least `bytes` bytes. Growing loses the contents.
  std::byte* fit(std::size_t bytes) {
    if (bytes > bytes_) {
      omp_target_free(at_, device_);
      bytes_ = 0;
      at_ = omp_target_alloc(bytes, device_);
      if (at_ == nullptr) throw std::runtime_error("omp_target_alloc found no memory");
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(at_);
  }
  void write(const void* from, std::size_t bytes, std::size_t offset = 0) {
    copy(at_, from, bytes, offset, 0, device_, omp_get_initial_device());
  }
  void read(void* to, std::size_t bytes, std::size_t offset = 0) const {
    copy(to, at_, bytes, 0, offset, omp_get_initial_device(), device_);
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                   std::size_t from_offset, int to_device, int from_device) {
    if (omp_target_memcpy(to, const_cast<void*>(from), bytes, to_offset, from_offset, to_device,
                          from_device) != 0)
      throw std::runtime_error("omp_target_memcpy failed");
  }

  int device_;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace syncmeter::omp_target
