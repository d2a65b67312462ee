// Cells on the device: set before each sample, checked after it, and only those used.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {

/// Where the cells of a point lie and which lanes share one.
struct cell_layout {
  value_type type = value_type::int32;
  enum oracle oracle = oracle::none;
  std::size_t cells = 0;        ///< how many
  std::size_t pitch = 0;        ///< bytes from one to the next
  unsigned threads = 1;         ///< of a block
  std::size_t group = 1;        ///< threads that share a cell: 1, a block, or all
  unsigned active = warp_size;  ///< lanes of each warp that take part
};

/// Queues the initial value into every cell at every place of one array.
void reset_cells(const cell_layout& layout, std::byte* array, const cell_places& places,
                 cudaStream_t stream);

/// Queues the making of a ring of pointers, `pitch` bytes apart, each to another entry far away.
/// `entries` is a power of two.
void fill_ring(std::byte* first, std::size_t entries, std::size_t pitch, cudaStream_t stream);

/// Queues the copying of `bytes` bytes to `count` places, `pitch` bytes apart.
void fill_objects(std::byte* first, const std::byte* image, std::size_t bytes, std::size_t pitch,
                  std::size_t count, cudaStream_t stream);

/// Queues a kernel that lasts `ns`, so that the host gets ahead of the device.
void hold_stream(std::int64_t ns, cudaStream_t stream);

/// Queues the folding of each group's lanes and cell; `groups` has one entry for each cell of each
/// place, `outcomes` one for each lane of each place. Here and below `array` is null where an op
/// has no cells: its lanes are one group, whose cell holds 0.
void fold_groups(const cell_layout& layout, const std::byte* array, const cell_places& places,
                 const lane_outcome* outcomes, group_outcome* groups, cudaStream_t stream);

/// Queues the check of cells that have one lane each (group == 1); `results`, one for each place,
/// must be all zero.
void check_own(const cell_layout& layout, const std::byte* array, const cell_places& places,
               const lane_outcome* outcomes, own_outcome* results, cudaStream_t stream);

}  // namespace syncmeter::cuda
