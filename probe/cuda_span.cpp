#include "probe/cuda_span.hpp"

#include <stdlib.h>

#include "probe/count.hpp"
#include "probe/kernel.hpp"
#include "probe/times.hpp"

namespace syncmeter::probe {
namespace {

constinit std::uint64_t first_call = 0;
constinit long process = 0;
constinit bool is_dropped = false;

// A child of fork has no GPU.
void write_span() {
  const std::uint64_t end = now(), begin = __atomic_load_n(&first_call, __ATOMIC_RELAXED);
  if (begin == 0 || __atomic_load_n(&is_dropped, __ATOMIC_RELAXED) || kernel(SYS_getpid) != process)
    return;
  cuda_span_block* const block = new_cuda_span();
  if (block == nullptr) return;
  block->first_call = begin;
  block->end = end;
}

}  // namespace

bool is_span_run() { return ::getenv(span_variable) != nullptr; }

void note_call_in_span() {
  if (__atomic_load_n(&first_call, __ATOMIC_RELAXED) != 0) return;
  std::uint64_t none = 0;
  __atomic_compare_exchange_n(&first_call, &none, now(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void drop_span() { __atomic_store_n(&is_dropped, true, __ATOMIC_RELAXED); }

void write_span_at_end() {
  process = kernel(SYS_getpid);
  ::atexit(write_span);
}

}  // namespace syncmeter::probe
