// Kokkos in this process. It starts once, with a pool of threads that stays as large as it is.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::kokkos {

/// Versions and options that whoever built this Kokkos chose, for every result.
[[nodiscard]] nlohmann::json kokkos_build();

/// Starts nothing by itself: Kokkos comes up with the first point, and goes with this object.
class thread_pool {
 public:
  thread_pool() = default;
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Kokkos is up afterwards, with a pool of `lanes` threads, of which there may be `most`. Throws
  /// point_refused when the pool is, or by KOKKOS_NUM_THREADS is to be, of another size, and
  /// std::runtime_error when Kokkos does not come up.
  void need(unsigned lanes, unsigned most);
  /// Kokkos is up afterwards, for a space that has no use for the pool. On this GPU, where the
  /// space is one's: throws point_refused when Kokkos is on another one.
  void need_none(int device = 0);

  /// 0 before Kokkos is up.
  [[nodiscard]] unsigned threads() const { return threads_; }

 private:
  void start(unsigned threads, int device);

  unsigned threads_ = 0;
  int device_ = 0;
  std::string failure_;
};

}  // namespace syncmeter::kokkos
