// Written like user code: policies without a space instance, launches without a name.
#include "backends/kokkos/kokkos_calls.hpp"

namespace syncmeter::kokkos {
namespace {

template <class Space> struct empty_range {
  KOKKOS_FUNCTION void operator()(int) const {}
};
template <class Space> struct empty_team {
  KOKKOS_FUNCTION void operator()(const member_of<Space>&) const {}
};
template <class Space> struct contribution {
  std::uint32_t value;
  KOKKOS_FUNCTION void operator()(int, std::uint32_t& sum) const { sum += value; }
};
template <class Space> struct empty_grid {
  KOKKOS_FUNCTION void operator()(int, int) const {}
};
template <class Space> struct grid_contribution {
  std::uint32_t value;
  KOKKOS_FUNCTION void operator()(int, int, std::uint32_t& sum) const { sum += value; }
};
template <class Space> struct member_contribution {
  std::uint32_t value;
  KOKKOS_FUNCTION void operator()(const member_of<Space>&, std::uint32_t& sum) const {
    sum += value;
  }
};

template <class T> struct largest_of {
  const T* data;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& most) const {
    most = data[i] > most ? data[i] : most;
  }
};
template <class T> struct element_at {
  T* data;
  std::uint64_t seed;
  reduction_input kind;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    data[i] = reduction_element<T>(i, seed, kind);
  }
};

template <class Space> auto all_of(std::size_t elements) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(0, elements);
}

template <class Space, class T> bits_of<T> maximum(const reduction_array& input) {
  T most = reduction_identity<T>();
  Kokkos::parallel_reduce(all_of<Space>(input.elements()), largest_of<T>{input.data<T>()},
                          Kokkos::Max<T>(most));
  return input.difference(most);
}

template <class Space, class T>
void fill(T* data, std::size_t elements, std::uint64_t seed, reduction_input kind, unsigned) {
  Kokkos::parallel_for(all_of<Space>(elements), element_at<T>{data, seed, kind});
  Kokkos::fence();
}

// Every other member starts with a different value.
template <class Space>
std::uint32_t broadcast_in_team(const member_of<Space>& member, std::uint32_t value) {
  std::uint32_t received = value + static_cast<std::uint32_t>(member.team_rank());
  member.team_broadcast(received, 0);
  return received ^ value;
}

template <class Space>
std::uint32_t sum_in_team(const member_of<Space>& member, std::uint32_t value) {
  std::uint32_t sum = value;
  member.team_reduce(Kokkos::Sum<std::uint32_t>(sum));
  return sum ^ (value * static_cast<std::uint32_t>(member.team_size()));
}

template <class Space> void launch_range(unsigned lanes) {
  Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, lanes), empty_range<Space>{});
  Kokkos::fence();
}

template <class Space> void launch_one_team(unsigned lanes) {
  Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(1, static_cast<int>(lanes)), empty_team<Space>{});
  Kokkos::fence();
}

template <class Space> std::uint32_t launch_sum(unsigned lanes, std::uint32_t value) {
  std::uint32_t sum = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, lanes), contribution<Space>{value}, sum);
  return sum ^ (value * lanes);
}

// Returns a policy with a tile per lane, because the default tile has several indices.
template <class Space> auto grid_of(unsigned lanes) {
  return Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {static_cast<int>(lanes), 1},
                                                       {1, 1});
}

template <class Space> void launch_grid(unsigned lanes) {
  Kokkos::parallel_for(grid_of<Space>(lanes), empty_grid<Space>{});
  Kokkos::fence();
}

template <class Space> std::uint32_t launch_grid_sum(unsigned lanes, std::uint32_t value) {
  std::uint32_t sum = 0;
  Kokkos::parallel_reduce(grid_of<Space>(lanes), grid_contribution<Space>{value}, sum);
  return sum ^ (value * lanes);
}

template <class Space> std::uint32_t launch_team_sum(unsigned lanes, std::uint32_t value) {
  std::uint32_t sum = 0;
  Kokkos::parallel_reduce(Kokkos::TeamPolicy<Space>(1, static_cast<int>(lanes)),
                          member_contribution<Space>{value}, sum);
  return sum ^ (value * lanes);
}

}  // namespace

#define SM_KOKKOS_REDUCTION(SPACE, TYPE)                                                           \
  bits_of<TYPE> reduce_max(on_space<SPACE>, const reduction_array& input, TYPE) {                  \
    return maximum<SPACE, TYPE>(input);                                                            \
  }                                                                                                \
  reduction_array::filler<TYPE> filler_of(on_space<SPACE>, TYPE) { return &fill<SPACE, TYPE>; }
#define SM_KOKKOS_CALLS(SPACE)                                                                     \
  void team_barrier(const member_of<SPACE>& member) { member.team_barrier(); }                     \
  std::uint32_t team_broadcast(const member_of<SPACE>& member, std::uint32_t value) {              \
    return broadcast_in_team<SPACE>(member, value);                                                \
  }                                                                                                \
  std::uint32_t team_reduce(const member_of<SPACE>& member, std::uint32_t value) {                 \
    return sum_in_team<SPACE>(member, value);                                                      \
  }                                                                                                \
  void launch_for(on_space<SPACE>, unsigned lanes) { launch_range<SPACE>(lanes); }                 \
  void launch_team(on_space<SPACE>, unsigned lanes) { launch_one_team<SPACE>(lanes); }             \
  std::uint32_t launch_reduce(on_space<SPACE>, unsigned lanes, std::uint32_t value) {              \
    return launch_sum<SPACE>(lanes, value);                                                        \
  }                                                                                                \
  void launch_mdrange(on_space<SPACE>, unsigned lanes) { launch_grid<SPACE>(lanes); }              \
  std::uint32_t launch_mdrange_reduce(on_space<SPACE>, unsigned lanes, std::uint32_t value) {      \
    return launch_grid_sum<SPACE>(lanes, value);                                                   \
  }                                                                                                \
  std::uint32_t launch_team_reduce(on_space<SPACE>, unsigned lanes, std::uint32_t value) {         \
    return launch_team_sum<SPACE>(lanes, value);                                                   \
  }                                                                                                \
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

void fence_all() { Kokkos::fence(); }

}  // namespace syncmeter::kokkos
