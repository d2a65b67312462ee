// The devices of this host as neighbours: their access to each other's memory, and the path.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::cuda {

/// The largest number of devices in a point.
inline constexpr unsigned most_devices = 16;

/// One device's access to another device's memory.
struct device_link {
  int from = 0, to = 0;
  bool peer_access = false;
  bool native_atomics = false;  ///< `from`'s atomics run in the memory of `to`
  int performance_rank = 0;     ///< the driver's rank: lower is faster
  unsigned nvlinks = 0;         ///< active NVLinks of `from` by NVML, 0 if unknown
};

void to_json(nlohmann::json& j, const device_link& link);

/// Returns every ordered pair. Asks once, never throws, and makes no context.
[[nodiscard]] const std::vector<device_link>& find_links();

/// Returns a point's devices: `first` and its successors, in a ring. Throws point_refused
/// (core/worker/worker.hpp) if a point cannot have that number, or this host has fewer.
[[nodiscard]] std::vector<int> devices_of_point(int first, unsigned devices);

/// Gives these devices access to each other's memory. Throws point_refused if a device cannot, or
/// if needed atomics do not run in that memory. Throws std::runtime_error for an unusable device.
/// Keeps the current device.
void enable_peer_access(const std::vector<int>& devices, bool needs_atomics);

/// Returns true if a joined device had an error this process cannot survive.
[[nodiscard]] bool lost_a_peer_device();

/// Makes another device current during its own lifetime.
class scoped_device {
 public:
  explicit scoped_device(int index);
  ~scoped_device();
  scoped_device(const scoped_device&) = delete;
  scoped_device& operator=(const scoped_device&) = delete;

 private:
  int before_ = 0;
};

}  // namespace syncmeter::cuda
