// Cells on the device: set before each sample and checked after, only the used ones.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {

/// The layout of a point's cells, and the lanes that share a cell.
struct cell_layout {
  value_type type = value_type::int32;
  enum oracle oracle = oracle::none;
  std::size_t cells = 0;        ///< how many
  std::size_t pitch = 0;        ///< bytes between cells
  unsigned threads = 1;         ///< per block
  std::size_t group = 1;        ///< threads that share a cell: 1, a block, or all
  unsigned active = warp_size;  ///< participating lanes of each warp
};

/// Queues the initial value into every cell at every place of one array.
void reset_cells(const cell_layout& layout, std::byte* array, const cell_places& places,
                 cudaStream_t stream);

/// Queues the construction of a pointer ring, with entries `pitch` bytes apart that each point far
/// away. `entries` is a power of two.
void fill_ring(std::byte* first, std::size_t entries, std::size_t pitch, cudaStream_t stream);

/// Queues copies of `bytes` bytes to `count` places, `pitch` bytes apart.
void fill_objects(std::byte* first, const std::byte* image, std::size_t bytes, std::size_t pitch,
                  std::size_t count, cudaStream_t stream);

/// Queues a kernel that lasts `ns`, to let the host get ahead.
void hold_stream(std::int64_t ns, cudaStream_t stream);

/// Queues the folding: each group's lanes and cell. `groups` has an entry per cell and place,
/// `outcomes` an entry per lane and place. `array` is null for an op without cells, here and below:
/// its lanes form one group, whose cell holds 0.
void fold_groups(const cell_layout& layout, const std::byte* array, const cell_places& places,
                 const lane_outcome* outcomes, group_outcome* groups, cudaStream_t stream);

/// Queues the check for cells with one lane each (group == 1). `results`, one for each place, must
/// be all zero.
void check_own(const cell_layout& layout, const std::byte* array, const cell_places& places,
               const lane_outcome* outcomes, own_outcome* results, cudaStream_t stream);

}  // namespace syncmeter::cuda
