#include "backends/omp/omp_calls.hpp"

namespace syncmeter::omp {
namespace {

template <class T> bits_of<T> maximum(const reduction_array& input, unsigned lanes) {
  const T* const data = input.data<T>();
  const std::size_t elements = input.elements();
  T most = reduction_identity<T>();
#pragma omp parallel for num_threads(static_cast<int>(lanes)) schedule(static) default(none)       \
    shared(data, elements) reduction(max : most)
  for (std::size_t i = 0; i < elements; ++i) most = data[i] > most ? data[i] : most;
  return input.difference(most);
}

// The same threads get the same elements as in the reduction.
template <class T>
void fill_on_lanes(T* data, std::size_t elements, std::uint64_t seed, reduction_input kind,
                   unsigned lanes) {
#pragma omp parallel for num_threads(static_cast<int>(lanes)) schedule(static) default(none)       \
    shared(data, elements, seed, kind)
  for (std::size_t i = 0; i < elements; ++i) data[i] = reduction_element<T>(i, seed, kind);
}

}  // namespace

#define SM_OMP_REDUCTION(TYPE)                                                                     \
  bits_of<TYPE> reduce_max(const reduction_array& input, unsigned lanes, TYPE) {                   \
    return maximum<TYPE>(input, lanes);                                                            \
  }                                                                                                \
  void fill(TYPE* data, std::size_t elements, std::uint64_t seed, reduction_input kind,            \
            unsigned lanes) {                                                                      \
    fill_on_lanes(data, elements, seed, kind, lanes);                                              \
  }
SM_OMP_REDUCTION(std::int32_t)
SM_OMP_REDUCTION(std::uint64_t)
SM_OMP_REDUCTION(float)
SM_OMP_REDUCTION(double)

}  // namespace syncmeter::omp
