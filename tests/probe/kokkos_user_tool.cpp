// A tool of Kokkos one of whose callbacks calls another one: prints how many kernels have begun.
#include <cstdint>
#include <cstdio>

#define EXPORT extern "C" [[gnu::visibility("default")]]

static int begun = 0, ended = 0;

EXPORT void kokkosp_begin_parallel_for(const char*, std::uint32_t, std::uint64_t*) { ++begun; }
EXPORT void kokkosp_end_parallel_for(std::uint64_t) { ++ended; }
EXPORT void kokkosp_begin_parallel_reduce(const char* label, std::uint32_t device,
                                          std::uint64_t* call) {
  kokkosp_begin_parallel_for(label, device, call);
}
EXPORT void kokkosp_end_parallel_reduce(std::uint64_t call) { kokkosp_end_parallel_for(call); }

[[gnu::destructor]] static void print() { std::printf("%d begun, %d ended\n", begun, ended); }
