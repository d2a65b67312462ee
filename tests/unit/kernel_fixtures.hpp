// Made-up kernels that update addresses or meet at barriers, prices of both, and what is said of
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/advise/kernel_rules.hpp"

namespace syncmeter::kernel_fixtures {

inline constexpr unsigned multiprocessors = 100;

inline gpu_device gpu_of(unsigned multiprocessors_of_it, unsigned threads_at_once = 2048) {
  gpu_device gpu;
  gpu.multiprocessors = multiprocessors_of_it;
  gpu.max_threads_per_multiprocessor = threads_at_once;
  gpu.max_blocks_per_multiprocessor = 32;
  gpu.warp_size = 32;
  return gpu;
}

/// Of 1024 threads on each multiprocessor with 16 adds each.
inline price adds_per_ns(const std::string& op, unsigned addresses, double rate,
                         unsigned blocks = multiprocessors) {
  price one;
  one.what.backend = "cuda";
  one.what.op = op;
  // Copies are priced in blocks as large as the kernel's.
  one.what.lanes = op.starts_with("accumulate_block") ? 256 : 1024;
  one.what.blocks = blocks * 1024 / one.what.lanes;
  one.what.size = addresses;
  const double ns = blocks * 1024 * 16 / rate;
  one.cost_ns = {ns, ns, ns};
  return one;
}

inline price barrier_ns(unsigned threads, unsigned blocks, double ns) {
  price one;
  one.what.backend = "cuda";
  one.what.op = "barrier";
  one.what.lanes = threads;
  one.what.blocks = blocks;
  one.cost_ns = {ns, ns, ns};
  return one;
}

inline constexpr std::uint64_t billion = 1'000'000'000;

/// 10 launches with a billion updates, spread evenly.
inline kernel_use updating(std::uint64_t addresses, std::uint64_t threads_alike = 1) {
  kernel_use kernel;
  kernel.name = "count";
  kernel.launches = 10;
  kernel.blocks = 100'000;
  kernel.block_threads = 256;
  kernel.updates = billion;
  kernel.addresses = addresses;
  kernel.hottest = billion / addresses;
  kernel.hottest_warps = kernel.hottest / threads_alike;
  kernel.by_instruction = {{.updates = billion,
                            .warp_addresses = billion / threads_alike,
                            .addresses = addresses,
                            .hottest = kernel.hottest,
                            .operation = "RED.E.ADD.STRONG.GPU"}};
  return kernel;
}

inline kernel_use meeting(double barriers) {
  kernel_use kernel;
  kernel.name = "relax";
  kernel.launches = 10;
  kernel.blocks = 100'000;
  kernel.block_threads = 250;
  kernel.barriers = barriers;
  return kernel;
}

inline site site_of(double busy_s, const kernel_use& kernel) {
  site of{.kind = "kernel_launch", .module = "/bin/app", .count = 10, .threads = 1};
  of.device = device_times{.works = 10, .busy = {.sum_ns = busy_s * 1e9}};
  of.kernels = {kernel};
  return of;
}

struct said {
  std::vector<advice> advices;
  std::vector<std::string> notes;
};
inline said said_of(const site& of, const std::vector<price>& prices) {
  said found;
  found.advices = advise_on_kernels(
      {of}, {.wall_s = 1, .plain_wall_s = {1, 1, 1}, .prices = prices}, found.notes);
  return found;
}

inline const std::vector<price> curve{adds_per_ns("accumulate_integer", 256, 4),
                                      adds_per_ns("accumulate_integer", 512, 16),
                                      adds_per_ns("accumulate_integer", 32768, 64)};
/// Of 384 addresses, which is nearer to 512.
inline const double at_384_per_ns = 4 * std::pow(4, std::log2(1.5));

/// Of a block's copy that its threads add to the GPU's memory: all addresses for each block, those
/// of one address one by one.
inline const double copied_s = std::max(100'000 * 384 / 1000e9, 100'000 / 1.25e9);

inline std::vector<price> with_copies() {
  std::vector<price> all = curve;
  all.push_back(adds_per_ns("accumulate_integer", 1U << 20U, 1000));
  all.push_back(adds_per_ns("accumulate_fixed", 1, 1.25, 1));
  all.push_back(adds_per_ns("accumulate_block_integer", 1, 6));
  all.push_back(adds_per_ns("accumulate_block_integer", 256, 200));
  all.push_back(adds_per_ns("accumulate_block_integer", 512, 200));
  return all;
}

}  // namespace syncmeter::kernel_fixtures
