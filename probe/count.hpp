// What the wrappers of the probe share: counting a call.
#pragma once

#include <cstdint>

#include "probe/callers.hpp"
#include "probe/real_function.hpp"
#include "probe/tables.hpp"

/// Where the call of this wrapper returns to: the site.
#define SM_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
/// The frame of this wrapper, by which the caller of a function of the standard library is found.
#if defined(__x86_64__)
#define SM_FRAME call_frame_of(static_cast<const stack_frame*>(__builtin_frame_address(0)))
#elif !defined(__clang__)
#define SM_FRAME                                                                                   \
  (call_frame{static_cast<const stack_frame*>(__builtin_frame_address(0)),                         \
              reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa())})
#else  // frames are laid out in other ways, and this compiler does not say where one begins
#define SM_FRAME (call_frame{static_cast<const stack_frame*>(__builtin_frame_address(0)), 0})
#endif

namespace syncmeter::probe {

/// On x86-64 what a call puts on the stack is the last of its caller's frame.
[[nodiscard]] inline call_frame call_frame_of(const stack_frame* record) {
  return {record, reinterpret_cast<std::uint64_t>(record + 1)};
}

/// Adds so many to the row of this site and thread; with 0 makes the row alone. Takes no lock and
/// no memory but at the first event of a site or thread, and may be called from a signal handler.
void count(kind what, std::uint64_t site, unsigned team, std::uint64_t adds = 1,
           std::uint64_t object = 0);
/// The same for the call of a wrapper with this frame, in no team. Returns the site: where the
/// program called it, or what of the standard library did.
std::uint64_t count_call(kind what, call_frame wrapper, bool adds, std::uint64_t object);

/// Of the file of this process; nullptr where there is none.
[[nodiscard]] file_header* header_of_process();

/// Writes down why calls of CUDA are not counted.
void write_problem_of_cuda(const char* text);

/// What is timed of a site that this thread has counted; nullptr where there is no room for it.
[[nodiscard]] times_block* times_of(kind what, std::uint64_t site, unsigned row_team,
                                    unsigned threads, std::uint64_t every,
                                    std::uint64_t object = 0);
/// Of what the GPU does for this site; nullptr where there is no room for it.
[[nodiscard]] device_block* new_device_block(kind what, std::uint64_t site);
/// Of a kernel of this name; nullptr where there is no room.
[[nodiscard]] kernel_times_block* new_kernel_times(const char* name);
/// Of a patched kernel, with room behind it; nullptr where there is none.
[[nodiscard]] kernel_block* new_kernel_block(std::uint64_t bytes);
/// From the first call of CUDA to the end; nullptr where there is no room for it.
[[nodiscard]] cuda_span_block* new_cuda_span();
/// Of a callback of Kokkos with this frame, where the program called Kokkos, its module being
/// noted.
[[nodiscard]] std::uint64_t noted_caller_of_kokkos(call_frame callback);
/// Writes down a label and its number. False where there is no room for it.
[[nodiscard]] bool write_label(std::uint64_t site, std::uint64_t number, const char* label);
/// Returns a lock table by number, from 0 on. Makes a missing table if `makes` is set. Returns
/// nullptr without a table, or without room for a new table.
[[nodiscard]] objects_block* objects_of_process(unsigned table, bool makes);

/// The place of an address in a table that is only added to, or, with `adds`, the one that is free
/// for it; nullptr where there is none.
/// `size` must be 2^n.
template <class Place>
[[nodiscard]] Place* place_of(Place* places, std::uint64_t size, const void* object, bool adds) {
  constexpr std::uint64_t most_tried = 16;
  const auto address = reinterpret_cast<std::uint64_t>(object);
  const std::uint64_t hash = address * 0x9E3779B97F4A7C15U >> 32U;
  for (std::uint64_t tried = 0; tried < most_tried; ++tried) {
    Place& at = places[(hash + tried) & (size - 1)];
    std::uint64_t there = __atomic_load_n(&at.address, __ATOMIC_ACQUIRE);
    if (there == 0 && !adds) return nullptr;
    if (there == address ||
        (there == 0 && (__atomic_compare_exchange_n(&at.address, &there, address, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
                        there == address)))
      return &at;
  }
  return nullptr;
}

template <class Place, std::uint64_t Size>
[[nodiscard]] Place* place_of(Place (&places)[Size], const void* object, bool adds) {
  static_assert((Size & (Size - 1)) == 0);
  return place_of(&places[0], Size, object, adds);
}

/// Which are timed: each of whose number is a multiple of the first, and one lock in so many; 0:
/// none.
struct timing {
  std::uint64_t meetings = 0, locks = 0;
  bool is_read = false;  ///< from the environment, at the first event
};
extern timing timing_of_process;
void read_timing();
[[nodiscard]] inline const timing& timed_every() {
  if (!timing_of_process.is_read) [[unlikely]]
    read_timing();
  return timing_of_process;
}

/// Threads of the innermost parallel region, as the OpenMP runtime has it.
[[nodiscard]] unsigned team_size();

/// Of the calling thread in its team, from 0 on.
[[nodiscard]] unsigned number_in_team();

/// The result of a call that nobody answers: of a function that the program has not got without us.
template <class Result> [[nodiscard]] Result no_answer() {
  if constexpr (requires { Result{}; }) return Result{};
}

}  // namespace syncmeter::probe
