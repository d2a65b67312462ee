#include "backends/kokkos/kokkos_space.hpp"

namespace syncmeter::kokkos {

#if defined(KOKKOS_ENABLE_OPENMP)
void team_barrier(const member_of<Kokkos::OpenMP>& member) { member.team_barrier(); }
#endif
#if defined(KOKKOS_ENABLE_THREADS)
void team_barrier(const member_of<Kokkos::Threads>& member) { member.team_barrier(); }
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
void team_barrier(const member_of<Kokkos::Serial>& member) { member.team_barrier(); }
#endif

}  // namespace syncmeter::kokkos
