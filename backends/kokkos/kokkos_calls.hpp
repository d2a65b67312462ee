// The execution spaces on the host that this Kokkos was built with, and how they differ; and the
// words that are library code, each behind a call, so that both sides of a loop hold the same
// of it whatever the compiler would have made of the copies. They stand in a source of their own.
#pragma once

#include <cstdint>
#include <string_view>

#include <Kokkos_Core.hpp>

#include "core/host/reduction_array.hpp"

namespace syncmeter::kokkos {

template <class Space> using member_of = typename Kokkos::TeamPolicy<Space>::member_type;

/// Says which space a function is for.
template <class Space> struct on_space {};

/// backend, space: its names, ours and Kokkos'. has_pool: it has threads, started once per process.
/// most_threads: what Kokkos has room for. launches_from_last: the thread that launches is the last
/// of a team, not the first.
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

/// What every space has. launch_for: an empty parallel_for over one index for each lane, and the
/// fence that waits for it. launch_team: the same with one team of all lanes. The others have a
/// result, and return how it differs from what it had to be: 0. team_broadcast: `value` of the
/// member of rank 0, in all members. team_reduce: the sum of every member's `value`, in all of
/// them. launch_reduce: a parallel_reduce of `value` from one index for each lane. launch_mdrange,
/// launch_mdrange_reduce: the like over an MDRange, a tile for each lane; launch_team_reduce: over
/// one team of all lanes.
/// reduce_max: a parallel_reduce of an array with Kokkos::Max; filler_of: what fills such an array
/// on the lanes that will read it.
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

/// Kokkos::fence(): it waits for every space of the build.
void fence_all();

}  // namespace syncmeter::kokkos
