// What the kernels of a program update by atomic operations and where they wait, as a run has it
// whose kernels are patched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

/// An atomic operation in a kernel's code, over all its launches.
struct update_use {
  std::uint64_t offset = 0;  ///< in the kernel's code
  bool in_shared_memory = false;
  std::uint64_t updates = 0;         ///< of threads
  std::uint64_t warp_addresses = 0;  ///< distinct addresses in each execution by a warp, added up
  std::uint64_t addresses = 0;       ///< distinct ones, of the GPU's memory
  std::uint64_t hottest = 0;         ///< updates of the one that has the most
  std::uint64_t hottest_warps = 0;   ///< executions by warps that update the one with most of these
  std::uint64_t uncounted = 0;       ///< updates of addresses that the tables had no room for
  std::string operation{};           ///< its opcode; empty: not known
  std::string place{};               ///< the line of its source; empty: not known
};

/// A kernel as launched at one site.
struct kernel_use {
  std::string name;
  std::uint64_t launches = 0, blocks = 0, block_threads = 0;
  std::uint64_t updates = 0;    ///< of the GPU's memory
  std::uint64_t addresses = 0;  ///< distinct ones, and the updates of the one that has the most
  std::uint64_t hottest = 0;
  std::uint64_t hottest_warps = 0;  ///< executions by warps that update the one with most of these
  double barriers = 0;              ///< of blocks, each once, as far as they were counted
  /// Of `launches` and `blocks` those that counted from begin to end; 0: it is not known which.
  std::uint64_t counted_launches = 0, counted_blocks = 0;
  double barriers_of_all = 0;  ///< of several processes, each with all of its launches; 0: of one
  std::uint64_t cluster_waits = 0;  ///< of threads for the barrier of their cluster
  std::uint64_t object_waits = 0;   ///< of threads for a barrier in shared memory
  bool is_cut_off = false;          ///< it ran on when the time to count was over
  bool has_lost = false;            ///< tables had no room for all of its instructions or addresses
  std::vector<update_use> by_instruction{};

  [[nodiscard]] bool is_at_least() const { return is_cut_off || has_lost; }
};

/// Whether counting ended between two launches, so that those before stand for all.
[[nodiscard]] bool has_whole_launches(const kernel_use& of);
/// Over all launches.
[[nodiscard]] double barriers_of_launches(const kernel_use& of);

/// Of all instructions.
[[nodiscard]] std::uint64_t shared_updates(const kernel_use& of);

/// Of a kernel's block of the probe's file, with what stands behind it; nothing where it is cut
/// short.
[[nodiscard]] std::optional<kernel_use> kernel_of_block(std::string_view bytes);

/// Adds up what one kernel did in two processes: addresses of each are others.
void add_kernel(const kernel_use& from, kernel_use& to);

}  // namespace syncmeter
