// Which processing units are near to a device on the PCI bus and which are far from it, and a
// thread that keeps to some of them for a while.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/axes.hpp"

namespace syncmeter {

/// The PUs of this process as a device sees them. Ascending OS numbers.
struct device_neighbours {
  std::vector<int> near, far;
  int numa_node = -1;   ///< the device's, by the operating system's number; -1: not told
  std::string problem;  ///< why there is no near and far; empty when both are there
};

/// What Linux says of the PCI device `bus_id` ("0000:3B:00.0", in either case): `near` are those of
/// `allowed` in its local_cpulist, `far` the others. `root` goes before every path that is read.
[[nodiscard]] device_neighbours neighbours_of(const std::string& bus_id,
                                              std::span<const int> allowed,
                                              const std::string& root = "");

/// The PUs for a host thread that works with a device: near (home::first) or far (home::other);
/// none for home::none, where the thread may be anywhere. Throws std::invalid_argument with a
/// sentence for the user when there are none such.
[[nodiscard]] std::vector<int> pus_for(home where, const device_neighbours& device);

/// While it lives the calling thread runs on these PUs only; without any it is left alone. Throws
/// std::runtime_error with the system's message when it cannot be bound.
class scoped_affinity {
 public:
  explicit scoped_affinity(std::span<const int> pus);
  ~scoped_affinity();
  scoped_affinity(const scoped_affinity&) = delete;
  scoped_affinity& operator=(const scoped_affinity&) = delete;

 private:
  std::vector<unsigned long> before_;  // the thread's mask; empty where it is left alone
};

}  // namespace syncmeter
