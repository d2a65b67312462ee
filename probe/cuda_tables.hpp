// The tables of counts in the GPU's memory, and how the probe reads them and writes them into its
// file.
#pragma once

#include <cstdint>
#include <span>

#include "probe/count.hpp"
#include "probe/device_counts.hpp"
#include "probe/kernel.hpp"
#include "probe/sanitizer.hpp"

namespace syncmeter::probe {

/// A kernel as launched at one site.
struct launched_kernel {
  void* function;  // nullptr: of a module that was unloaded
  void* module;
  std::uint64_t site;
  std::uint32_t kind;
  std::uint64_t begins, ends;  // the code of the function
  std::uint64_t launches, blocks, threads;
  std::uint64_t counted_launches, counted_blocks;  // before the time to count was over
  bool is_cut_off;                                 // launched when it was over
  char name[1000];
};

/// Of a context, in the GPU's memory.
struct tables_on_gpu {
  device_counts* counts;
  counted_cell* cells;
  std::uint64_t cell_count;
};

template <class Element> Element* new_elements(std::uint64_t number) {
  return static_cast<Element*>(new_memory(number * sizeof(Element)));
}

/// A block of the file for each of these kernels, whose numbers are their places. False: the tables
/// cannot be read from the GPU.
bool write_kernels(const tables_on_gpu& of, std::span<const launched_kernel> kernels,
                   sanitizer::copy_function to_host, void* stream);

}  // namespace syncmeter::probe
