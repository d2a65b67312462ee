// What the kernels of handoffs get and give back beside kernel_setup: plain data, the same on both
// sides of a launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {

/// So many polls of one lane in one launch, and the token is lost: a tenth of a second inside a
/// block, some seconds across multiprocessors. Samples last a hundredth of that.
inline constexpr unsigned most_polls = 1U << 22U;

/// How many handoffs a litmus looks at.
inline constexpr unsigned litmus_handoffs = 8192;

/// Whether who is handed to must see what was written before. Across blocks scope block promises
/// nothing.
[[nodiscard]] constexpr bool promises_order(const form& f, bool across_blocks) {
  return f.order != order::relaxed && !(across_blocks && f.scope == scope::block);
}

/// What one end of a pair saw.
struct pair_record {
  std::int64_t cycles = 0, lane_cycles = 0, lane_ns = 0;
  std::uint64_t polls = 0;
  std::uint64_t stale = 0;  ///< messages, in the litmus
  unsigned multiprocessor = 0;
  unsigned ran = 0;
};

/// Two warps on two multiprocessors, out of blocks that fill all of them.
struct pair_setup {
  std::byte* flags = nullptr;   ///< two, mailbox_bytes apart
  std::byte* data = nullptr;    ///< the same for the litmus, all zero
  unsigned* arrived = nullptr;  ///< blocks so far
  unsigned* here = nullptr;     ///< blocks so far on each multiprocessor
  unsigned multiprocessors = 0;
  unsigned partner = 0;         ///< counted from 0
  pair_record* ends = nullptr;  ///< one for each end
};

/// A chain through the first `length` warps of a grid; the others wait until it is over.
struct chain_setup {
  unsigned* flag = nullptr;  ///< whose turn it is
  unsigned length = 0;
  unsigned* polls = nullptr;  ///< of each warp
  unsigned* data = nullptr;   ///< a word for each warp, all zero; for the litmus
  unsigned long long* stale = nullptr;
  unsigned* timed_out = nullptr;  ///< warps that waited in vain
};

/// What the flag of a chain holds when it is over.
inline constexpr unsigned chain_over = 0xffffffffU;
/// A warp of a chain that waits for so long gives up.
inline constexpr std::int64_t chain_deadline_ns = 1'000'000'000;

}  // namespace syncmeter::cuda
