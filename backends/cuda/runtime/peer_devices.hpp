// The devices of this host as each other's neighbours: who can reach whose memory, and by what.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::cuda {

/// Devices that one point can have.
inline constexpr unsigned most_devices = 16;

/// What one device can do in another's memory.
struct device_link {
  int from = 0, to = 0;
  bool peer_access = false;
  bool native_atomics = false;  ///< atomics by `from` on memory of `to` are done there
  int performance_rank = 0;     ///< the driver's: lower is faster
  unsigned nvlinks = 0;         ///< active NVLinks of `from`, by NVML; 0 where it does not tell
};

void to_json(nlohmann::json& j, const device_link& link);

/// Of every ordered pair; asks once, and never throws. Makes no context.
[[nodiscard]] const std::vector<device_link>& find_links();

/// The devices of a point: `first` and those behind it, in a ring. Throws point_refused
/// (core/worker/worker.hpp) when a point cannot have as many, or this host has fewer.
[[nodiscard]] std::vector<int> devices_of_point(int first, unsigned devices);

/// Makes these devices reach each other's memory. Throws point_refused when one cannot, or when
/// atomics are needed and not done where the memory is; std::runtime_error when one cannot be used.
/// The current device is what it was.
void enable_peer_access(const std::vector<int>& devices, bool needs_atomics);

/// Whether one of the devices that were joined has had an error that this process does not outlive.
[[nodiscard]] bool lost_a_peer_device();

/// Makes another device the current one for as long as it lives.
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
