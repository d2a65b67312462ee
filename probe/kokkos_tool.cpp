// The library that Kokkos loads as its tool (KOKKOS_TOOLS_LIBS). Its callbacks pass each kernel and
// fence on to the preloaded library, which must not have functions of these names: they would come
// before those of a user's tool wherever its callbacks call each other.
#include "probe/count.hpp"
#include "probe/kokkos.hpp"

// Not there in a program that was started without the preloaded library.
#pragma weak syncmeter_begin_kokkos_call
#pragma weak syncmeter_end_kokkos_call

using namespace syncmeter::probe;

#define SM_KOKKOS(begin, end, what)                                                                \
  SM_EXPORT void begin(const char* label, std::uint32_t, std::uint64_t* call) {                    \
    *call = 0;                                                                                     \
    if (syncmeter_begin_kokkos_call != nullptr)                                                    \
      syncmeter_begin_kokkos_call(kind::what, label, call, SM_FRAME);                              \
    asm volatile("");                                                                              \
  }                                                                                                \
  SM_EXPORT void end(std::uint64_t call) {                                                         \
    if (syncmeter_end_kokkos_call != nullptr) syncmeter_end_kokkos_call(call);                     \
  }
SM_KOKKOS(kokkosp_begin_parallel_for, kokkosp_end_parallel_for, kokkos_for)
SM_KOKKOS(kokkosp_begin_parallel_reduce, kokkosp_end_parallel_reduce, kokkos_reduce)
SM_KOKKOS(kokkosp_begin_parallel_scan, kokkosp_end_parallel_scan, kokkos_scan)
SM_KOKKOS(kokkosp_begin_fence, kokkosp_end_fence, kokkos_fence)

/// The first of the settings is whether Kokkos waits for the device around each kernel, which it
/// does where a library does not answer: that would be another program.
SM_EXPORT void kokkosp_request_tool_settings(std::uint32_t, bool* settings) { settings[0] = false; }
