// The execution spaces on the host that this Kokkos was built with, and how they differ.
#pragma once

#include <string_view>

#include <Kokkos_Core.hpp>

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

}  // namespace syncmeter::kokkos
