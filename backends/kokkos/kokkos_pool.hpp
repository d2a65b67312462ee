// Kokkos in this process. Kokkos starts once, with a thread pool of fixed size.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::kokkos {

/// Returns the version and options of this Kokkos build, for every result.
[[nodiscard]] nlohmann::json kokkos_build();

/// Owner of the Kokkos runtime. Starts Kokkos with the first point, and ends Kokkos in the
/// destructor.
class thread_pool {
 public:
  thread_pool() = default;
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Starts Kokkos with a pool of `lanes` threads, at most `most`. Throws point_refused if the pool
  /// or KOKKOS_NUM_THREADS has another size, and std::runtime_error if Kokkos cannot start.
  void need(unsigned lanes, unsigned most);
  /// Starts Kokkos for a space without pool, on this GPU if the space uses a GPU. Throws
  /// point_refused if Kokkos runs on another GPU.
  void need_none(int device = 0);

  /// Returns 0 before Kokkos starts.
  [[nodiscard]] unsigned threads() const { return threads_; }

 private:
  void start(unsigned threads, int device);

  unsigned threads_ = 0;
  int device_ = 0;
  std::string failure_;
};

}  // namespace syncmeter::kokkos
