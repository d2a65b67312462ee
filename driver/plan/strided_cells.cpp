#include "driver/plan/strided_cells.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace syncmeter {
namespace {

std::vector<unsigned> strides_of(const run_options& options, const study_axes& axes, unsigned size,
                                 unsigned line_bytes) {
  if (!options.strides.empty()) return options.strides;
  if (!axes.strides.empty()) return axes.strides;
  std::vector<unsigned> strides;
  for (const unsigned bytes : axes.strides_bytes) {
    if (bytes % size == 0) strides.push_back(bytes / size);
  }
  return strides.empty() ? std::vector{std::max(1U, line_bytes / size)} : strides;
}

std::vector<unsigned> base_offsets_of(const run_options& options, const study_axes& axes,
                                      unsigned line_bytes) {
  if (!options.base_offsets.empty()) return options.base_offsets;
  std::vector<unsigned> offsets;
  for (const line_part part : axes.bases)
    offsets.push_back(part == line_part::half ? line_bytes / 2 : 0);
  return offsets;
}

bool shared_out_evenly(unsigned cells, unsigned lanes) {
  return cells <= lanes && lanes % cells == 0;
}

std::vector<unsigned> cells_of(const run_options& options, const study_axes& axes, unsigned lanes) {
  if (!options.cells.empty()) return options.cells;
  if (!axes.shared_cells) return {0};
  std::vector<unsigned> cells;
  for (unsigned n = 1; n < lanes; n *= 2) {
    if (shared_out_evenly(n, lanes)) cells.push_back(n);
  }
  cells.push_back(lanes);
  return cells;
}

}  // namespace

std::vector<cell_layout> layouts_of(const run_options& options, const study_axes& axes,
                                    value_type type, unsigned lanes, unsigned line_bytes) {
  const auto size = static_cast<unsigned>(size_of(type));
  std::vector<cell_layout> layouts;
  for (const unsigned base_offset : base_offsets_of(options, axes, line_bytes)) {
    for (const unsigned stride : strides_of(options, axes, size, line_bytes)) {
      for (const unsigned cells : cells_of(options, axes, lanes))
        layouts.push_back({.stride = stride, .base_offset = base_offset, .cells = cells});
    }
  }
  return layouts;
}

// A cell that straddles two lines is another experiment: a split lock may even trap.
std::string why_no_layout(const point& p) {
  if (p.cells != 0 && !shared_out_evenly(p.cells, p.lanes))
    return fmt::format("--cells {}: must divide the number of lanes, {}", p.cells, p.lanes);
  if (p.cells > 1 && p.stride == 0)
    return fmt::format("--cells {} with --stride 0: all cells would be the same one", p.cells);
  if (!p.type || p.base_offset % size_of(*p.type) == 0) return {};
  return fmt::format("--base-offset {}: must be a multiple of the cell size, {} B", p.base_offset,
                     size_of(*p.type));
}

}  // namespace syncmeter
