#include "probe/cuda_tables.hpp"

#include <string.h>

#include <algorithm>

#include "probe/tables.hpp"

namespace syncmeter::probe {
namespace {

/// Cells of the same address and kernel together.
struct cell_of_kernel {
  std::uint64_t number, updates, warps;
};

struct cell_sums {
  std::uint64_t cells, hottest, hottest_warps;
};

/// What a context has counted, on the host.
struct read_tables {
  device_counts* counts = nullptr;
  counted_cell* cells = nullptr;
  cell_of_kernel* merged = nullptr;
  cell_sums of_kernels[most_kernels] = {};
  cell_sums of_instructions[most_instructions] = {};
};

bool read_from(const tables_on_gpu& of, sanitizer::copy_function to_host, void* stream,
               read_tables& to) {
  to.counts = new_elements<device_counts>(1);
  to.cells = new_elements<counted_cell>(of.cell_count);
  to.merged = new_elements<cell_of_kernel>(of.cell_count);
  return to.counts != nullptr && to.cells != nullptr && to.merged != nullptr &&
         to_host(to.counts, of.counts, sizeof *to.counts, stream) == sanitizer::success &&
         to_host(to.cells, of.cells, of.cell_count * sizeof(counted_cell), stream) ==
             sanitizer::success;
}

void add_to_sums(cell_sums& sums, std::uint64_t updates, std::uint64_t warps, bool is_new) {
  if (is_new) ++sums.cells;
  sums.hottest = std::max(sums.hottest, updates);
  sums.hottest_warps = std::max(sums.hottest_warps, warps);
}

void add_cells(read_tables& tables, std::uint64_t cell_count) {
  for (std::uint64_t i = 0; i < cell_count; ++i) {
    const counted_cell& cell = tables.cells[i];
    if (cell.number == 0 || cell.instruction >= most_instructions) continue;
    add_to_sums(tables.of_instructions[cell.instruction], cell.updates, cell.warps, true);
    const std::uint32_t kernel = tables.counts->instructions[cell.instruction].kernel;
    const std::uint64_t number = number_of_pair(cell.address, kernel);
    // There are as many places as cells at most: one is free.
    for (std::uint64_t at = number;; ++at) {
      cell_of_kernel& place = tables.merged[at & (cell_count - 1)];
      if (place.number != 0 && place.number != number) continue;
      const bool is_new = place.number == 0;
      place.number = number;
      place.updates += cell.updates;
      place.warps += cell.warps;
      add_to_sums(tables.of_kernels[kernel % most_kernels], place.updates, place.warps, is_new);
      break;
    }
  }
}

void write_kernel(const read_tables& tables, const launched_kernel& kernel, std::uint32_t number) {
  const auto is_its = [&](const counted_instruction& each) {
    return each.number != 0 && each.kernel == number;
  };
  const auto* const first = tables.counts->instructions;
  const auto its =
      static_cast<std::uint64_t>(std::count_if(first, first + most_instructions, is_its));
  auto* const block = new_kernel_block(sizeof(kernel_block) + its * sizeof(kernel_instruction) +
                                       ::strlen(kernel.name) + 1);
  if (block == nullptr) return;
  block->address = kernel.site;
  block->kind = kernel.kind;
  const bool ended_inside = tables.counts->kernels[number].is_cut_off != 0;
  block->is_cut_off = kernel.is_cut_off || ended_inside ? 1 : 0;
  block->counted_launches = ended_inside ? 0 : kernel.counted_launches;
  block->counted_blocks = ended_inside ? 0 : kernel.counted_blocks;
  block->launches = kernel.launches;
  block->blocks = kernel.blocks;
  block->threads = kernel.threads;
  block->cells = tables.of_kernels[number].cells;
  block->hottest = tables.of_kernels[number].hottest;
  block->hottest_warps = tables.of_kernels[number].hottest_warps;
  block->lost = tables.counts->lost;
  auto* to = reinterpret_cast<kernel_instruction*>(block + 1);
  for (std::uint32_t i = 0; i < most_instructions; ++i) {
    const counted_instruction& each = first[i];
    if (!is_its(each)) continue;
    if (each.event == counted_event::update) block->updates += each.threads;
    const bool is_inside = each.address >= kernel.begins && each.address < kernel.ends;
    *to++ = {.offset = each.address - (is_inside ? kernel.begins : 0),
             .event = static_cast<std::uint32_t>(each.event),
             .unused = 0,
             .threads = each.threads,
             .warps = each.warps,
             .parts = each.parts,
             .uncounted = each.uncounted,
             .cells = tables.of_instructions[i].cells,
             .hottest = tables.of_instructions[i].hottest,
             .hottest_warps = tables.of_instructions[i].hottest_warps};
  }
  block->instructions = its;
  ::memcpy(to, kernel.name, ::strlen(kernel.name));
}

}  // namespace

bool write_kernels(const tables_on_gpu& of, std::span<const launched_kernel> kernels,
                   sanitizer::copy_function to_host, void* stream) {
  auto* const tables = new_elements<read_tables>(1);
  if (tables == nullptr) return true;
  if (!read_from(of, to_host, stream, *tables)) return false;
  add_cells(*tables, of.cell_count);
  for (std::uint32_t i = 0; i < kernels.size(); ++i) write_kernel(*tables, kernels[i], i);
  return true;
}

}  // namespace syncmeter::probe
