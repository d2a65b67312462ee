#include "core/machine/near_pus.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <sched.h>

#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

std::optional<std::string> sysfs_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// A mask of the kernel's is as long as the machine may have PUs.
constexpr std::size_t most_kernel_pus = 1U << 16U;
constexpr std::size_t bits_of_word = 8 * sizeof(unsigned long);

std::vector<unsigned long> no_pus() {
  return std::vector<unsigned long>(most_kernel_pus / bits_of_word);
}

int set_mask(const std::vector<unsigned long>& mask) {
  return sched_setaffinity(0, mask.size() * sizeof mask[0],
                           reinterpret_cast<const cpu_set_t*>(mask.data()));
}

}  // namespace

device_neighbours neighbours_of(const std::string& bus_id, std::span<const int> allowed,
                                const std::string& root) {
  device_neighbours found;
  std::string name = bus_id;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string folder = root + "/sys/bus/pci/devices/" + name;
  if (const auto node = sysfs_line(folder + "/numa_node")) {
    const auto number = parse_cpu_list(*node);  // "-1" is none
    if (number && number->size() == 1) found.numa_node = number->front();
  }
  const auto list = sysfs_line(folder + "/local_cpulist");
  const auto local = list ? parse_cpu_list(*list) : std::nullopt;
  if (!local || local->empty()) {
    found.problem = fmt::format("the system does not report which processing units are near the "
                                "device: {}/local_cpulist is missing or empty",
                                folder);
    return found;
  }
  std::vector<int> all(allowed.begin(), allowed.end());
  std::ranges::sort(all);
  std::ranges::copy_if(all, std::back_inserter(found.near),
                       [&](int pu) { return std::ranges::find(*local, pu) != local->end(); });
  std::ranges::set_difference(all, found.near, std::back_inserter(found.far));
  if (found.far.empty()) {
    found.problem = "all allowed processing units are equally near the device: the system reports "
                    "one NUMA node";
  } else if (found.near.empty()) {
    found.problem = "none of the allowed processing units is near the device";
  }
  return found;
}

std::vector<int> pus_for(home where, const device_neighbours& device) {
  if (where == home::none) return {};
  if (where == home::second)
    throw std::invalid_argument(
        "--home second applies to the mailboxes of a handoff; for a launching thread use first "
        "(near the device) or other (far from it)");
  const std::vector<int>& pus = where == home::first ? device.near : device.far;
  if (!device.problem.empty())
    throw std::invalid_argument(fmt::format("--home {}: {}", to_text(where), device.problem));
  return pus;
}

scoped_affinity::scoped_affinity(std::span<const int> pus) {
  if (pus.empty()) return;
  const auto refuse = [](int error) {
    throw std::runtime_error(
        fmt::format("the launching thread cannot be bound: {}", std::strerror(error)));
  };
  std::vector<unsigned long> before = no_pus();
  if (sched_getaffinity(0, before.size() * sizeof before[0],
                        reinterpret_cast<cpu_set_t*>(before.data())) != 0)
    refuse(errno);
  std::vector<unsigned long> wanted = no_pus();
  for (const int pu : pus) {
    const auto at = static_cast<std::size_t>(pu);
    wanted.at(at / bits_of_word) |= 1UL << at % bits_of_word;
  }
  if (set_mask(wanted) != 0) refuse(errno);
  before_ = std::move(before);
}

// What was allowed before is allowed again; were it not, the thread stays where it is.
scoped_affinity::~scoped_affinity() {
  if (!before_.empty()) static_cast<void>(set_mask(before_));
}

}  // namespace syncmeter
