// What the Compute Sanitizer's patching API puts before instructions of a program's kernels: it
// counts there who updates which address, and who waits. Each is called by the threads that are
// about to execute the instruction.
#include <cstdint>

#include "probe/device_counts.hpp"

namespace syncmeter::probe {
namespace {

enum access_flag : std::uint32_t { reads = 1, writes = 2, at_system_scope = 4, only_writes = 256 };
constexpr std::uint32_t most_tried = 64;
constexpr unsigned warp_threads = 32;
constexpr int all_well = 0;

__device__ std::uint64_t now_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Once in 32 times or so: the GPU has one timer for all multiprocessors, each of which has a clock
/// of its own.
__device__ bool looks_at_time() {
  constexpr unsigned ticks = 0x8000, looked_at = ticks / 32;
  unsigned clock;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
  return clock % ticks < looked_at;
}

__device__ unsigned lane_of_warp() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ void add(std::uint64_t& to, std::uint64_t number) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), number);
}

/// Whether this place is, or now becomes, that of the number.
__device__ bool is_place_of(std::uint64_t& there, std::uint64_t number, bool& is_new) {
  std::uint64_t found = *static_cast<volatile std::uint64_t*>(&there);
  is_new = false;
  if (found == 0) {
    found = atomicCAS(reinterpret_cast<unsigned long long*>(&there), 0ULL, number);
    is_new = found == 0;
  }
  return is_new || found == number;
}

/// Whether the kernel counts: some do not, and all end when the time to count is over.
__device__ bool counts_in(kernel_counts* of) {
  if (of == nullptr || of->is_cut_off != 0) return false;
  if (!looks_at_time()) return true;
  device_counts& all = *of->counts;
  const std::uint64_t now = now_ns();
  std::uint64_t until = *static_cast<volatile std::uint64_t*>(&all.until_ns);
  if (until == 0) {
    until = now + all.for_ns;
    atomicCAS(reinterpret_cast<unsigned long long*>(&all.until_ns), 0ULL, until);
  }
  if (now < until) return true;
  of->is_cut_off = 1;
  return false;
}

/// The place of an instruction, or of a part of its executions: parts are added up by whoever reads
/// them.
__device__ counted_instruction* instruction_of(const kernel_counts& of, std::uint64_t address,
                                               counted_event event, unsigned part = 0) {
  const std::uint64_t number = number_of_instruction(address, of.kernel, event, part);
  for (std::uint32_t tried = 0; tried < most_tried_of_part(part); ++tried) {
    counted_instruction& at = of.counts->instructions[place_of_part(number, tried, part)];
    bool is_new;
    if (!is_place_of(at.number, number, is_new)) continue;
    if (is_new) {
      at.address = address;
      at.kernel = of.kernel;
      at.event = event;
    }
    return &at;
  }
  return nullptr;
}

__device__ void update_cell(device_counts& all, counted_instruction& by, const void* cell,
                            unsigned updates) {
  const auto address = reinterpret_cast<std::uint64_t>(cell);
  const auto instruction = static_cast<std::uint32_t>(&by - all.instructions);
  const std::uint64_t number = number_of_pair(address, instruction + 1);
  for (std::uint32_t tried = 0; tried < most_tried; ++tried) {
    counted_cell& at = all.cells[(number + tried) & all.cell_mask];
    bool is_new;
    if (!is_place_of(at.number, number, is_new)) continue;
    if (is_new) {
      at.address = address;
      at.instruction = instruction;
    }
    add(at.updates, updates);
    atomicAdd(&at.warps, 1U);
    return;
  }
  add(by.uncounted, updates);
}

__device__ void count_update(void* data, std::uint64_t pc, const void* cell, std::uint32_t flags,
                             counted_event event) {
  if ((flags & (reads | writes)) != (reads | writes) &&
      (flags & (at_system_scope | only_writes)) == 0)
    return;
  auto* const of = static_cast<kernel_counts*>(data);
  if (!counts_in(of)) return;
  const unsigned active = __activemask(), lane = lane_of_warp();
  counted_instruction* const by = instruction_of(*of, pc, event);
  if (by == nullptr) {
    add(of->counts->lost, 1);
    return;
  }
  const unsigned alike = __match_any_sync(active, reinterpret_cast<unsigned long long>(cell));
  const bool leads_alike = lane == static_cast<unsigned>(__ffs(alike) - 1);
  const unsigned addresses = __popc(__ballot_sync(active, leads_alike));
  if (leads_alike && event == counted_event::update)
    update_cell(*of->counts, *by, cell, __popc(alike));
  if (lane != static_cast<unsigned>(__ffs(active) - 1)) return;
  add(by->threads, __popc(active));
  add(by->warps, 1);
  add(by->parts, addresses);
}

__device__ unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/// The first warp of a block, whose threads are numbered along x, y and z.
__device__ bool is_first_warp() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x < warp_threads;
}

// Warps of all multiprocessors come at a rate that one address of a counter does not take, so that
// each multiprocessor has a part. Where all threads of a block must come its first warp stands for
// them: one kernel of barriers ran a hundred times as long.
__device__ void count_wait(void* data, std::uint64_t pc, unsigned expected, counted_event event) {
  auto* const of = static_cast<kernel_counts*>(data);
  if (!counts_in(of)) return;
  const unsigned active = __activemask();
  if (lane_of_warp() != static_cast<unsigned>(__ffs(active) - 1)) return;
  const unsigned threads = __popc(active);
  const unsigned part = multiprocessor() % most_parts;
  counted_instruction* by = instruction_of(*of, pc, event, part);
  if (by == nullptr && part != 0) by = instruction_of(*of, pc, event);
  if (by == nullptr) {
    add(of->counts->lost, threads);
    return;
  }
  if (event == counted_event::barrier) add(by->parts, (std::uint64_t{threads} << 32U) / expected);
  else add(by->threads, threads);
}

__device__ unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace
}  // namespace syncmeter::probe

using namespace syncmeter::probe;

extern "C" {

__device__ int sm_global_access(void* data, std::uint64_t pc, void* address, std::uint32_t,
                                std::uint32_t flags, const void*) {
  count_update(data, pc, address, flags, counted_event::update);
  return all_well;
}

__device__ int sm_shared_access(void* data, std::uint64_t pc, void* address, std::uint32_t,
                                std::uint32_t flags, const void*) {
  count_update(data, pc, address, flags, counted_event::shared_update);
  return all_well;
}

__device__ int sm_barrier(void* data, std::uint64_t pc, std::uint32_t, std::uint32_t threads,
                          std::uint32_t) {
  if (threads != 0 && threads != threads_of_block())
    count_wait(data, pc, threads, counted_event::barrier);
  else if (is_first_warp())
    count_wait(data, pc, min(threads_of_block(), warp_threads), counted_event::barrier);
  return all_well;
}

__device__ int sm_cluster_wait(void* data, std::uint64_t pc) {
  count_wait(data, pc, threads_of_block(), counted_event::cluster_wait);
  return all_well;
}

__device__ int sm_barrier_object(void* data, std::uint64_t pc, void*, std::uint32_t kind,
                                 std::uint32_t) {
  constexpr std::uint32_t wait = 6;
  if (kind == wait) count_wait(data, pc, threads_of_block(), counted_event::object_wait);
  return all_well;
}

}  // extern "C"
