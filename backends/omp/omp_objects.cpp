#include "backends/omp/omp_objects.hpp"

namespace syncmeter::omp {
namespace {

void make(omp_lock_t& lock, [[maybe_unused]] lock_hint hint) {
#if defined(SM_OMP_HAS_LOCK_HINTS)
  constexpr std::array<omp_sync_hint_t, lock_hints> hints{
      omp_sync_hint_none, omp_sync_hint_uncontended, omp_sync_hint_contended,
      omp_sync_hint_speculative};
  omp_init_lock_with_hint(&lock, hints.at(static_cast<std::size_t>(hint)));
#else
  omp_init_lock(&lock);  // no op uses the hint
#endif
}

template <class T> bits_of<T> maximum(const reduction_array& input, unsigned lanes) {
  const T* const data = input.data<T>();
  const std::size_t elements = input.elements();
  T most = reduction_identity<T>();
#pragma omp parallel for num_threads(static_cast<int>(lanes)) schedule(static) default(none)       \
    shared(data, elements) reduction(max : most)
  for (std::size_t i = 0; i < elements; ++i) most = data[i] > most ? data[i] : most;
  return input.difference(most);
}

// Fills the array on the same threads that reduce the elements.
template <class T>
void fill_on_lanes(T* data, std::size_t elements, std::uint64_t seed, reduction_input kind,
                   unsigned lanes) {
#pragma omp parallel for num_threads(static_cast<int>(lanes)) schedule(static) default(none)       \
    shared(data, elements, seed, kind)
  for (std::size_t i = 0; i < elements; ++i) data[i] = reduction_element<T>(i, seed, kind);
}

}  // namespace

bool omp_team::run(unsigned lanes, lane_body body, bench& rig) {
  bool whole = true;
#pragma omp parallel num_threads(static_cast<int>(lanes)) default(none)                            \
    shared(whole, lanes, body, rig)
  {
    // A smaller team would wait at the gate forever.
    if (static_cast<unsigned>(omp_get_num_threads()) == lanes) {
      body(rig, static_cast<unsigned>(omp_get_thread_num()));
    } else {
#pragma omp single
      whole = false;
    }
  }
  return whole;
}

void omp_team::release() { omp_pause_resource_all(omp_pause_soft); }

lock_set::lock_set() {
  omp_init_lock(&plain);
  for (std::size_t i = 0; i < lock_hints; ++i) make(hinted[i].lock, static_cast<lock_hint>(i));
  omp_init_nest_lock(&nested);
}

lock_set::~lock_set() {
  omp_destroy_nest_lock(&nested);
  for (auto& [lock] : hinted) omp_destroy_lock(&lock);
  omp_destroy_lock(&plain);
}

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
