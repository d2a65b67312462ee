// What the updates and barriers of a kernel take at least on this GPU, and what the same updates
// would take in other ways: by what a run with patched kernels counted, and by the costs of the
// study `accumulate` and of barriers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/advise/kernel_counts.hpp"
#include "driver/advise/prices.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// The instruction that updates the GPU's memory most often; null where none does.
[[nodiscard]] const update_use* main_update(const kernel_use& kernel);

/// Whether warps or blocks may do it first, as far as its opcode is known: no compare-and-swap and
/// no exchange.
[[nodiscard]] bool is_add(const update_use& update);

/// Threads of a warp that update one address together, in the mean.
[[nodiscard]] double threads_alike(const update_use& update);
/// So many are worth that one of them does it for all.
inline constexpr double several_alike = 1.5;
/// Addresses that a block's copy has room for.
inline constexpr unsigned most_in_shared_memory = 4096;

/// Threads of the blocks that prices are of, as many blocks as give each multiprocessor 1024. Of
/// copies in shared memory blocks are as large as the kernel's, from 256 threads on: fewer threads
/// of one copy are in each other's way less.
inline constexpr unsigned lanes_of_price = 1024;
[[nodiscard]] unsigned lanes_of_copy(const kernel_use& kernel);

/// Of one add to an address that all add to, in ns. An update whose opcode is not known may be the
/// faster one.
[[nodiscard]] std::optional<interval> price_of_hot_add(const update_use& update,
                                                       const std::vector<price>& prices);

/// Of one add of threads that fill the GPU, in ns, to one of so many addresses that are updated
/// about as often, in random order: between two numbers of addresses that were measured, the second
/// one twice the first at most, along a line in logarithms. Nothing for as many as threads.
[[nodiscard]] std::optional<interval> price_of_add(std::string_view op, double addresses,
                                                   const std::vector<price>& prices,
                                                   unsigned lanes = lanes_of_price);

/// The ops of the study `accumulate` that an add of the kernel's type is priced by: to the GPU's
/// memory, to a block's copy in shared memory, and to such a copy by one thread of a warp for all
/// with its address.
[[nodiscard]] std::string_view op_of_update(const update_use& update);
[[nodiscard]] std::string_view block_op_of(const update_use& update);
[[nodiscard]] std::string_view match_op();

/// Of so many addresses in random order a warp would have as many alike: where neighbours in a warp
/// update one address, or one address has more than its share, fewer than the kernel's `addresses`.
[[nodiscard]] double addresses_as_alike(const update_use& update, std::uint64_t addresses);

/// In ns, of one add of threads that fill the GPU, each to an address of its own, side by side.
[[nodiscard]] std::optional<interval> price_of_own_add(std::string_view op,
                                                       const std::vector<price>& prices);

/// What a barrier of blocks as large as the kernel's takes, where so many run at once.
struct barrier_price {
  interval ns{};
  unsigned blocks = 1;
};
[[nodiscard]] std::optional<barrier_price> price_of_barrier(const kernel_use& kernel,
                                                            const std::vector<price>& prices);

/// Over all launches, in s; nothing where it has no price.
struct kernel_floors {
  std::optional<interval> hottest{};  ///< the updates of the address with the most, one by one
  /// All of them, in random order, as many addresses updated about as often. No floor: those of a
  /// warp to addresses side by side take less.
  std::optional<interval> updates{};
  std::optional<interval> barriers{};  ///< of blocks, as many at a time as the GPU has room for

  /// The greatest of those that are floors; 0: nothing is known.
  [[nodiscard]] double least_s() const;
  /// The greatest of all, as estimated.
  [[nodiscard]] double about_s() const;
};
[[nodiscard]] kernel_floors floors_of(const kernel_use& kernel, const std::vector<price>& prices);

/// What prices a kernel on this GPU.
[[nodiscard]] std::vector<point> points_of_kernel(const kernel_use& kernel, const gpu_device& gpu);
/// A point whose size is a number of addresses.
[[nodiscard]] bool is_price_of_update(std::string_view op);

}  // namespace syncmeter
