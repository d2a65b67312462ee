// Written like user code: policies without a space instance, launches without a name.
#include "backends/kokkos/kokkos_device_calls.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

namespace syncmeter::kokkos::on_device {
namespace {

using space = Kokkos::Cuda;
using range = Kokkos::RangePolicy<space>;
using teams = Kokkos::TeamPolicy<space>;
using grid = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;
using member = teams::member_type;

// Increments the device's count for each index or member. Does nothing without a count.
struct counted {
  device_count* counts;
  KOKKOS_FUNCTION void count() const {
    if (counts != nullptr) Kokkos::atomic_add(counts, device_count{1});
  }
};
struct counted_index : counted {
  KOKKOS_FUNCTION void operator()(int) const { count(); }
};
struct counted_member : counted {
  KOKKOS_FUNCTION void operator()(const member&) const { count(); }
};
struct counted_cell : counted {
  KOKKOS_FUNCTION void operator()(int, int) const { count(); }
};

struct index_value {
  std::uint32_t value = 0;
  KOKKOS_FUNCTION void operator()(int, std::uint32_t& sum) const { sum += value; }
};
struct member_value {
  std::uint32_t value = 0;
  KOKKOS_FUNCTION void operator()(const member&, std::uint32_t& sum) const { sum += value; }
};
struct cell_value {
  std::uint32_t value = 0;
  KOKKOS_FUNCTION void operator()(int, int, std::uint32_t& sum) const { sum += value; }
};

range range_of(const device_launches& all) {
  return {0, static_cast<int>(expected_count(all.shape))};
}
teams teams_of(const device_launches& all) {
  return {static_cast<int>(all.shape.blocks), static_cast<int>(all.shape.lanes)};
}
// Returns a policy with a tile per block.
grid grid_of(const device_launches& all) {
  const int lanes = static_cast<int>(all.shape.lanes);
  return {{0, 0}, {lanes, static_cast<int>(all.shape.blocks)}, {lanes, 1}};
}

template <class Policy, class Functor> void run(const Policy& policy, const Functor& functor) {
  Kokkos::parallel_for(policy, functor);
  Kokkos::fence();
}

template <class Policy, class Functor>
void reduce(device_launches& all, const Policy& policy, Functor functor) {
  functor.value = ++all.value;
  std::uint32_t sum = 0;
  Kokkos::parallel_reduce(policy, functor, sum);
  all.difference |= sum ^ expected_sum(all.value, all.shape);
}

}  // namespace

void fence() { Kokkos::fence(); }

void launch_for(device_launches& all) { run(range_of(all), counted_index{{all.counts}}); }
void launch_team(device_launches& all) { run(teams_of(all), counted_member{{all.counts}}); }
void launch_mdrange(device_launches& all) { run(grid_of(all), counted_cell{{all.counts}}); }

void launch_reduce(device_launches& all) { reduce(all, range_of(all), index_value{}); }
void launch_team_reduce(device_launches& all) { reduce(all, teams_of(all), member_value{}); }
void launch_mdrange_reduce(device_launches& all) { reduce(all, grid_of(all), cell_value{}); }

unsigned largest_team() {
  const teams one{1, 1};
  return static_cast<unsigned>(
      std::min(one.team_size_max(counted_member{{nullptr}}, Kokkos::ParallelForTag{}),
               one.team_size_max(member_value{0}, Kokkos::ParallelReduceTag{})));
}

}  // namespace syncmeter::kokkos::on_device
