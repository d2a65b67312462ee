// The host execution spaces in this Kokkos build, and their differences. Also calls for words with
// library code: both sides of a loop must have the same code, however the compiler optimizes
// copies. kokkos_calls.cpp defines the functions.
#pragma once

#include <cstdint>
#include <string_view>

#include <Kokkos_Core.hpp>

#include "core/host/reduction_array.hpp"

namespace syncmeter::kokkos {

template <class Space> using member_of = typename Kokkos::TeamPolicy<Space>::member_type;

/// Selects the space of a function.
template <class Space> struct on_space {};

/// Traits of a space. backend, space: names in syncmeter and Kokkos. has_pool: threads start once
/// per process. most_threads: Kokkos' limit. launches_from_last: the launching thread is the last
/// in a team, not the first.
template <class Space> struct space_traits;

#if defined(KOKKOS_ENABLE_OPENMP)
template <> struct space_traits<Kokkos::OpenMP> {
  static constexpr std::string_view backend = "kokkos-openmp";
  static constexpr std::string_view space = "OpenMP";
  static constexpr bool has_pool = true;
  static constexpr unsigned most_threads = 512;
  static constexpr bool launches_from_last = false;
};
#endif

#if defined(KOKKOS_ENABLE_THREADS)
template <> struct space_traits<Kokkos::Threads> {
  static constexpr std::string_view backend = "kokkos-threads";
  static constexpr std::string_view space = "Threads";
  static constexpr bool has_pool = true;
  static constexpr unsigned most_threads = 16384;
  static constexpr bool launches_from_last = true;
};
#endif

#if defined(KOKKOS_ENABLE_SERIAL)
template <> struct space_traits<Kokkos::Serial> {
  static constexpr std::string_view backend = "kokkos-serial";
  static constexpr std::string_view space = "Serial";
  static constexpr bool has_pool = false;
  static constexpr unsigned most_threads = 1;
  static constexpr bool launches_from_last = false;
};
#endif

/// Functions of every space. Functions with a result return the difference from the expected
/// result: 0.
/// launch_for: an empty parallel_for with an index per lane, and a fence. launch_team: the same
/// with one team of all lanes.
/// team_broadcast: `value` from rank 0 to all members. team_reduce: the sum of all members'
/// `value`, in all members.
/// launch_reduce: a parallel_reduce of `value` with an index per lane. launch_mdrange,
/// launch_mdrange_reduce: the same with an MDRange, a tile per lane. launch_team_reduce: the same
/// with one team.
/// reduce_max: a parallel_reduce over an array with Kokkos::Max. filler_of: returns the function
/// that fills the array on the reading lanes.
#define SM_KOKKOS_REDUCTION(SPACE, TYPE)                                                           \
  [[nodiscard]] bits_of<TYPE> reduce_max(on_space<SPACE>, const reduction_array& input, TYPE);     \
  [[nodiscard]] reduction_array::filler<TYPE> filler_of(on_space<SPACE>, TYPE);
#define SM_KOKKOS_CALLS(SPACE)                                                                     \
  void team_barrier(const member_of<SPACE>& member);                                               \
  [[nodiscard]] std::uint32_t team_broadcast(const member_of<SPACE>& member, std::uint32_t value); \
  [[nodiscard]] std::uint32_t team_reduce(const member_of<SPACE>& member, std::uint32_t value);    \
  void launch_for(on_space<SPACE>, unsigned lanes);                                                \
  void launch_team(on_space<SPACE>, unsigned lanes);                                               \
  [[nodiscard]] std::uint32_t launch_reduce(on_space<SPACE>, unsigned lanes, std::uint32_t value); \
  void launch_mdrange(on_space<SPACE>, unsigned lanes);                                            \
  [[nodiscard]] std::uint32_t launch_mdrange_reduce(on_space<SPACE>, unsigned lanes,               \
                                                    std::uint32_t value);                          \
  [[nodiscard]] std::uint32_t launch_team_reduce(on_space<SPACE>, unsigned lanes,                  \
                                                 std::uint32_t value);                             \
  SM_KOKKOS_REDUCTION(SPACE, std::int32_t)                                                         \
  SM_KOKKOS_REDUCTION(SPACE, std::uint64_t)                                                        \
  SM_KOKKOS_REDUCTION(SPACE, float)                                                                \
  SM_KOKKOS_REDUCTION(SPACE, double)

#if defined(KOKKOS_ENABLE_OPENMP)
SM_KOKKOS_CALLS(Kokkos::OpenMP)
#endif
#if defined(KOKKOS_ENABLE_THREADS)
SM_KOKKOS_CALLS(Kokkos::Threads)
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
SM_KOKKOS_CALLS(Kokkos::Serial)
#endif
#undef SM_KOKKOS_CALLS
#undef SM_KOKKOS_REDUCTION

/// Calls Kokkos::fence(), which waits for every space in the build.
void fence_all();

}  // namespace syncmeter::kokkos
