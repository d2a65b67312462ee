#include "driver/advise/kernel_prices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace syncmeter {
namespace {

constexpr std::string_view add_of_float = "accumulate_atomic", add_of_64_bits = "accumulate_fixed",
                           add_of_integer = "accumulate_integer";
constexpr std::string_view by_block = "accumulate_block",
                           by_block_of_integers = "accumulate_block_integer",
                           by_match = "accumulate_block_match", barrier_of_block = "barrier";
constexpr std::array<std::string_view, 6> ops_of_updates{
    add_of_float, add_of_64_bits, add_of_integer, by_block, by_block_of_integers, by_match};
/// Of each lane in one op.
constexpr double adds_of_lane = 16;
/// So many that each thread has its own.
constexpr unsigned one_for_each = 1U << 20U;
constexpr double lanes_of_warp = 32;

bool has_type(const update_use& update, std::string_view type) {
  return update.operation.find(type) != std::string::npos;
}

bool is_of_float(const update_use& update) {
  return has_type(update, ".F16") || has_type(update, ".F32") || has_type(update, ".F64") ||
         has_type(update, ".BF16");
}

}  // namespace

std::string_view op_of_update(const update_use& update) {
  if (is_of_float(update)) return add_of_float;
  return has_type(update, ".64") ? add_of_64_bits : add_of_integer;
}

// Shared memory has an add of integers of 32 bits, and none of the others.
std::string_view block_op_of(const update_use& update) {
  return op_of_update(update) == add_of_integer ? by_block_of_integers : by_block;
}

std::string_view match_op() { return by_match; }

namespace {

point point_of(std::string_view op, unsigned blocks, unsigned lanes, unsigned size) {
  point p;
  p.backend = "cuda";
  p.op = op;
  p.lanes = lanes;
  p.blocks = blocks;
  p.size = size;
  return p;
}

interval times(const interval& of, double factor) {
  return {.value = of.value * factor, .low = of.low * factor, .high = of.high * factor};
}

/// Of so many addresses drawn at random, those that the lanes of a warp have.
double addresses_of_warp(double drawn_from) {
  return drawn_from * (1 - std::pow(1 - 1 / drawn_from, lanes_of_warp));
}

/// Threads of the kernel's blocks, in whole warps.
unsigned barrier_lanes(const kernel_use& kernel) {
  constexpr std::uint64_t most_threads = 1024, warp = 32;
  return static_cast<unsigned>(
      std::clamp((kernel.block_threads + warp - 1) / warp * warp, warp, most_threads));
}

/// Blocks of a launch, at most so many.
unsigned barrier_blocks(const kernel_use& kernel, unsigned most) {
  const std::uint64_t blocks = kernel.blocks / std::max<std::uint64_t>(1, kernel.launches);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, most));
}

/// The powers of two next to a number of addresses, which may lie between whole ones: between some
/// of them the rate has a minimum. None where it lies beyond the most.
std::vector<unsigned> addresses_around(double addresses, unsigned most) {
  const double least = std::max(1.0, addresses);
  const std::uint64_t below = std::bit_floor(static_cast<std::uint64_t>(least));
  const std::uint64_t above = std::bit_ceil(static_cast<std::uint64_t>(std::ceil(least)));
  if (above > most) return {};
  std::vector<unsigned> around{static_cast<unsigned>(below)};
  if (above > below) around.push_back(static_cast<unsigned>(above));
  return around;
}

/// Threads update as many addresses or more in another order: each in each step its own, neighbours
/// side by side (backends/cuda/accumulate/updates.hpp).
bool has_drawn_addresses(const point& what) {
  return what.size < std::uint64_t{what.blocks} * what.lanes;
}

/// Of the whole GPU, by the number of addresses, as far as `is_wanted`.
std::map<unsigned, std::vector<price>>
prices_by_size(std::string_view op, const std::vector<price>& prices,
               const std::function<bool(const point&)>& is_wanted) {
  std::map<unsigned, std::vector<price>> by_size;
  for (const price& each : prices)
    if (each.what.op == op && each.what.blocks > 1 && each.what.size > 0 && is_wanted(each.what))
      by_size[each.what.size].push_back(each);
  return by_size;
}

void add_point_once(std::vector<point>& points, point each) {
  if (std::ranges::find(points, each) == points.end()) points.push_back(std::move(each));
}

/// In ns, of measurements of one point.
std::optional<interval> price_of_one_add(const std::vector<price>& found) {
  const auto cost = over_measurements(found);
  if (!cost || cost->low <= 0) return std::nullopt;
  const double threads = 1.0 * found.front().what.blocks * found.front().what.lanes;
  return times(*cost, 1 / (threads * adds_of_lane));
}

}  // namespace

const update_use* main_update(const kernel_use& kernel) {
  const update_use* most = nullptr;
  for (const update_use& each : kernel.by_instruction)
    if (!each.in_shared_memory && (most == nullptr || each.updates > most->updates)) most = &each;
  return most;
}

bool is_add(const update_use& update) {
  return !has_type(update, ".CAS") && !has_type(update, ".EXCH");
}

double threads_alike(const update_use& update) {
  return static_cast<double>(update.updates) /
         static_cast<double>(std::max<std::uint64_t>(1, update.warp_addresses));
}

double addresses_as_alike(const update_use& update, std::uint64_t addresses) {
  const auto most = static_cast<double>(std::max<std::uint64_t>(1, addresses));
  const double alike = threads_alike(update);
  if (alike < several_alike) return most;
  double low = 1, high = most;
  while (high > 1.001 * low) {
    const double middle = std::sqrt(low * high);
    (addresses_of_warp(middle) < lanes_of_warp / alike ? low : high) = middle;
  }
  // Of few launches the counts of addresses that are drawn at random are off by a little.
  constexpr double about = 1.1;
  return high * about > most ? most : high < about ? 1 : high;
}

std::optional<interval> price_of_hot_add(const update_use& update,
                                         const std::vector<price>& prices) {
  const std::string_view op = is_of_float(update) ? add_of_float : add_of_64_bits;
  std::vector<price> of_op;
  std::ranges::copy_if(prices, std::back_inserter(of_op), [&](const price& each) {
    return each.what.op == op && each.what.size == 1 && each.what.blocks <= 1;
  });
  const auto found = over_measurements(of_op);
  if (!found) return std::nullopt;
  return times(*found, 1 / (lanes_of_price * adds_of_lane));
}

unsigned lanes_of_copy(const kernel_use& kernel) {
  constexpr std::uint64_t least = 256;
  return static_cast<unsigned>(
      std::bit_ceil(std::clamp<std::uint64_t>(kernel.block_threads, least, lanes_of_price)));
}

std::optional<interval> price_of_add(std::string_view op, double addresses,
                                     const std::vector<price>& prices, unsigned lanes) {
  std::optional<std::pair<double, interval>> below, above;
  const auto is_wanted = [lanes](const point& each) {
    return has_drawn_addresses(each) && each.lanes == lanes;
  };
  for (const auto& [size, found] : prices_by_size(op, prices, is_wanted)) {
    const auto ns = price_of_one_add(found);
    if (!ns) continue;
    const std::pair<double, interval> here{size, *ns};
    if (size <= addresses) below = here;
    if (size >= addresses && !above) above = here;
  }
  if (!below || !above || above->first > 2 * below->first) return std::nullopt;
  if (below->first == above->first) return below->second;
  const double part = std::log(addresses / below->first) / std::log(above->first / below->first);
  const auto between = [&](double from, double to) { return from * std::pow(to / from, part); };
  return interval{.value = between(below->second.value, above->second.value),
                  .low = between(below->second.low, above->second.low),
                  .high = between(below->second.high, above->second.high)};
}

std::optional<interval> price_of_own_add(std::string_view op, const std::vector<price>& prices) {
  const auto found =
      prices_by_size(op, prices, [](const point& each) { return each.size == one_for_each; });
  return found.empty() ? std::nullopt : price_of_one_add(found.begin()->second);
}

// The GPU is not known here: of prices on no more blocks than the kernel has, the one on most.
std::optional<barrier_price> price_of_barrier(const kernel_use& kernel,
                                              const std::vector<price>& prices) {
  if (kernel.barriers < 1) return std::nullopt;
  const unsigned most = barrier_blocks(kernel, std::numeric_limits<unsigned>::max());
  std::map<unsigned, std::vector<price>> by_blocks;
  for (const price& each : prices)
    if (each.what.op == barrier_of_block && each.what.lanes == barrier_lanes(kernel) &&
        each.what.blocks > 0 && each.what.blocks <= most)
      by_blocks[each.what.blocks].push_back(each);
  if (by_blocks.empty()) return std::nullopt;
  const auto& [blocks, found] = *by_blocks.rbegin();
  const auto ns = over_measurements(found);
  return ns ? std::optional(barrier_price{.ns = *ns, .blocks = blocks}) : std::nullopt;
}

double kernel_floors::least_s() const {
  double least = 0;
  for (const auto& each : {hottest, barriers})
    if (each) least = std::max(least, each->low);
  return least;
}

double kernel_floors::about_s() const {
  double about = 0;
  for (const auto& each : {hottest, updates, barriers})
    if (each) about = std::max(about, each->value);
  return about;
}

kernel_floors floors_of(const kernel_use& kernel, const std::vector<price>& prices) {
  kernel_floors floors;
  if (const auto barrier = price_of_barrier(kernel, prices))
    floors.barriers = times(barrier->ns, barriers_of_launches(kernel) / barrier->blocks * 1e-9);
  const update_use* const update = main_update(kernel);
  if (update == nullptr || kernel.updates == 0) return floors;
  if (const auto ns = price_of_hot_add(*update, prices))
    floors.hottest = times(*ns, static_cast<double>(kernel.hottest) * 1e-9);
  if (!is_add(*update)) return floors;
  if (const auto ns =
          price_of_add(op_of_update(*update), static_cast<double>(kernel.addresses), prices))
    floors.updates = times(*ns, static_cast<double>(kernel.updates) * 1e-9);
  return floors;
}

std::vector<point> points_of_kernel(const kernel_use& kernel, const gpu_device& gpu) {
  std::vector<point> points;
  if (kernel.barriers >= 1) {
    const unsigned lanes = barrier_lanes(kernel);
    points.push_back(point_of(barrier_of_block,
                              barrier_blocks(kernel, co_resident_blocks(gpu, lanes)), lanes, 0));
  }
  const update_use* const update = main_update(kernel);
  if (update == nullptr || kernel.updates == 0) return points;
  points.push_back(
      point_of(is_of_float(*update) ? add_of_float : add_of_64_bits, 1, lanes_of_price, 1));
  if (!is_add(*update)) return points;
  const auto add_of = [&](std::string_view op, unsigned lanes, double addresses, unsigned most) {
    const unsigned blocks = gpu.multiprocessors * (lanes_of_price / lanes);
    for (const unsigned size : addresses_around(addresses, most))
      add_point_once(points, point_of(op, blocks, lanes, size));
  };
  const auto add = [&](std::string_view op, double addresses, unsigned most) {
    add_of(op, lanes_of_price, addresses, most);
  };
  const auto add_copy = [&](std::string_view op, double addresses) {
    add_of(op, lanes_of_copy(kernel), addresses, most_in_shared_memory);
  };
  const bool fits = kernel.addresses <= most_in_shared_memory;
  const unsigned most_drawn = gpu.multiprocessors * lanes_of_price - 1;
  const auto all = static_cast<double>(kernel.addresses);
  add(op_of_update(*update), all, most_drawn);
  const double as_alike = addresses_as_alike(*update, kernel.addresses);
  if (fits) {
    for (const double addresses : {all, as_alike, 1.0}) add_copy(block_op_of(*update), addresses);
    add(op_of_update(*update), one_for_each, one_for_each);
  }
  if (threads_alike(*update) >= several_alike && kernel.addresses <= std::bit_floor(most_drawn))
    add_copy(by_match, as_alike);
  return points;
}

bool is_price_of_update(std::string_view op) {
  return std::ranges::find(ops_of_updates, op) != ops_of_updates.end();
}

}  // namespace syncmeter
