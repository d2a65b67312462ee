// The points of the studies on GPUs, as data.
#pragma once

#include "driver/studies/studies.hpp"

namespace syncmeter {

/// Numbers of blocks that several of them take: alone, or by multiprocessor.
namespace blocks {
using block_symbol = block_range::symbol;
inline constexpr block_range one{.first = 1, .last = 1};
inline constexpr block_range two{.first = 2, .last = 2};
inline constexpr block_range half_sm{.named = block_symbol::half_sm};
inline constexpr block_range sm{.named = block_symbol::sm};
inline constexpr block_range two_sm{.named = block_symbol::two_sm};
}  // namespace blocks

[[nodiscard]] gpu_part gpu_quick();
[[nodiscard]] gpu_part gpu_scaling();
[[nodiscard]] gpu_part gpu_control();
/// The CUDA grid of "Characterizing CUDA and OpenMP Synchronization Primitives" (IISWC 2024).
[[nodiscard]] gpu_part gpu_paper();
[[nodiscard]] gpu_part gpu_atomics();
[[nodiscard]] gpu_part gpu_portability();

[[nodiscard]] study levels_study();
[[nodiscard]] study handoff_study();
[[nodiscard]] study divergence_study();
[[nodiscard]] study coalescing_study();
[[nodiscard]] study multi_gpu_study();
/// Its points on CPUs too.
[[nodiscard]] study reductions_study();

}  // namespace syncmeter
