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
  omp_init_lock(&lock);  // no op uses it
#endif
}

}  // namespace

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

}  // namespace syncmeter::omp
