#include "backends/omp/omp_backend.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/worker/declaration_text.hpp"

namespace syncmeter::omp {
namespace {

// Names of runtime calls: libgomp entry points from g++, libomp entry points from clang.
#if defined(__clang__)
constexpr bool flush_is_call = true;  // clang calls the runtime for every flush, whatever the order
constexpr std::string_view barrier_call = "call:__kmpc_barrier 1";
constexpr std::string_view critical_calls = "call:__kmpc_critical 1, call:__kmpc_end_critical 1";
constexpr std::string_view named_critical_calls = critical_calls;
#else
constexpr bool flush_is_call = false;
constexpr std::string_view barrier_call = "call:GOMP_barrier 1";
constexpr std::string_view critical_calls = "call:GOMP_critical_start 1, call:GOMP_critical_end 1";
constexpr std::string_view named_critical_calls =
    "call:GOMP_critical_name_start 1, call:GOMP_critical_name_end 1";
#endif

std::string fence(order o) {
  if (flush_is_call) return "call:__kmpc_flush 1";
  // x86 reorders only a store before a load, so only the full fence needs an instruction.
  if (o == order::unordered || o == order::seq_cst) return "lock_or 1 | mfence 1";
  return "nothing";
}

// clang calls the runtime for the acquire flush and for the release flush.
std::string lock_of_atomics(const measurable& row, std::string_view lock) {
  const std::string text = under_lock(row, lock);
  return flush_is_call ? with("call:__kmpc_flush 2", text) : text;
}

// No floating-point register survives a call (System V ABI 3.2.1). After clang's flush, an update's
// input comes from the stack, and its result goes there.
unsigned kept_on_stack(const measurable& row) {
  const auto name = row.info.name;
  if (!is_float(row)) return 0;
  if (name == "atomic_add" || name == "atomic_sub") return 1;
  if (name == "atomic_read") return 2;
  return name == "atomic_fetch_add" || name == "atomic_exchange" ? 3 : 0;
}

struct construct_calls {
  std::string_view op;
  std::string_view libgomp, libomp;  ///< entry points that one op calls
};
constexpr construct_calls constructs[]{
    {"parallel_region", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"parallel_region_fewer", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"region_after_resize", "GOMP_parallel 2", "__kmpc_fork_call 2"},
    {"nested_region", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"parallel_for", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"reduction_sum", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"reduction_max", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"reduction_array", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"reduction_declared", "GOMP_parallel 1", "__kmpc_fork_call 1"},
    {"for_static", "GOMP_barrier 1",
     "__kmpc_for_static_init_8 1, __kmpc_for_static_fini 1, __kmpc_barrier 1"},
    {"for_static_chunk", "GOMP_barrier 1",
     "__kmpc_for_static_init_8 1, __kmpc_for_static_fini 1, __kmpc_barrier 1"},
    {"for_dynamic",
     "GOMP_loop_nonmonotonic_dynamic_start 1, GOMP_loop_nonmonotonic_dynamic_next 1, GOMP_loop_end "
     "1",
     "__kmpc_dispatch_init_8 1, __kmpc_dispatch_next_8 2, __kmpc_barrier 1"},
    {"for_guided",
     "GOMP_loop_nonmonotonic_guided_start 1, GOMP_loop_nonmonotonic_guided_next 1, GOMP_loop_end 1",
     "__kmpc_dispatch_init_8 1, __kmpc_dispatch_next_8 2, __kmpc_barrier 1"},
    {"for_nowait", "omp_get_num_threads 1, omp_get_thread_num 1",
     "__kmpc_for_static_init_8 1, __kmpc_for_static_fini 1"},
    {"sections", "GOMP_sections_start 1, GOMP_sections_next 3, GOMP_sections_end 1",
     "__kmpc_for_static_init_4 1, __kmpc_for_static_fini 1, __kmpc_barrier 1"},
    {"single", "GOMP_single_start 1, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_end_single 1, __kmpc_barrier 1"},
    {"single_copyprivate", "GOMP_single_copy_start 1, GOMP_single_copy_end 1, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_end_single 1, __kmpc_copyprivate 1"},
    {"masked", "omp_get_thread_num 1", "__kmpc_masked 1, __kmpc_end_masked 1"},
    {"ordered",
     "GOMP_loop_ordered_static_start 1, GOMP_loop_ordered_static_next 1, GOMP_ordered_start 1, "
     "GOMP_loop_end 1",
     "__kmpc_dispatch_init_8 1, __kmpc_ordered 1, __kmpc_end_ordered 1, __kmpc_barrier 1"},
    {"task_by_one", "GOMP_single_start 1, GOMP_task 1, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_omp_task_alloc 1, __kmpc_omp_task 1, __kmpc_barrier 1"},
    {"task_by_all", "GOMP_task 1, GOMP_barrier 1",
     "__kmpc_omp_task_alloc 1, __kmpc_omp_task 1, __kmpc_barrier 1"},
    {"taskwait", "GOMP_task 1, GOMP_taskwait 1", "__kmpc_omp_task 1, __kmpc_omp_taskwait 1"},
    {"taskgroup", "GOMP_taskgroup_start 1, GOMP_task 1, GOMP_taskgroup_end 1",
     "__kmpc_taskgroup 1, __kmpc_omp_task 1, __kmpc_end_taskgroup 1"},
    {"taskloop", "GOMP_single_start 1, GOMP_taskloop 1", "__kmpc_single 1, __kmpc_taskloop 1"},
    {"task_chain", "GOMP_single_start 1, GOMP_task 1, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_omp_task_with_deps 1, __kmpc_barrier 1"},
    {"taskwait_by_one", "GOMP_single_start 1, GOMP_task 1, GOMP_taskwait 1, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_omp_task_alloc 1, __kmpc_omp_task 1, __kmpc_omp_taskwait 1, "
     "__kmpc_barrier 1"},
    {"task_fan", "GOMP_single_start 1, GOMP_task 2, GOMP_barrier 1",
     "__kmpc_single 1, __kmpc_omp_task_with_deps 2, __kmpc_barrier 1"},
    {"cancellation_point", "GOMP_cancellation_point 1, GOMP_barrier 1",
     "__kmpc_cancellationpoint 1, __kmpc_barrier 1"}};

/// Returns the call of the construct's function and its inner runtime calls.
std::string construct(std::string_view op) {
  const auto* const found = std::ranges::find(constructs, op, &construct_calls::op);
  std::string text = fmt::format("call:syncmeter::omp::ops::{}::step 1", op);
  if (found == std::end(constructs)) return text;
  const std::string_view calls = flush_is_call ? found->libomp : found->libgomp;
  for (std::size_t at = 0; at < calls.size();) {
    const auto end = std::min(calls.find(", ", at), calls.size());
    text += fmt::format(", inner:{}", calls.substr(at, end - at));
    at = end + 2;
  }
  return text;
}

std::string x86_64(const measurable& row) {
  const auto name = row.info.name;
  const bool floating = is_float(row);
  if (name == "barrier" || name == "barrier_after_work") return std::string{barrier_call};
  // The store makes the following work use a region.
  if (name == "region_around_work" || name == "first_region") return "store 1";
  // The store reports a passed barrier.
  if (name == "barrier_late") return with("store 1", std::string{barrier_call});
  if (name == "atomic_add") return floating ? cas_loop("fp_add 1") : "lock_add 1";
  if (name == "atomic_sub") return floating ? cas_loop("fp_add 1") : "lock_sub 1";
  if (name == "atomic_fetch_add") return floating ? cas_loop("fp_add 1") : "lock_xadd 1";
  if (name == "atomic_exchange")
    return floating ? "xchg_mem 1, fp_add 1 | " + cas_loop("fp_add 1") : "xchg_mem 1";
  // g++ 16 reads the value before locking the line, and retries if the value changed.
  if (name.starts_with("atomic_cas")) {
    return floating ? "lock_cmpxchg 1 | load 1, branch 2, lock_cmpxchg 1"
                    : "lock_cmpxchg 1 | load 1, branch 1, lock_cmpxchg 1";
  }
  if (name.ends_with("_hold")) return cas_loop(floating ? "fp_minmax 1" : "");
  if (name.ends_with("_raise")) return cas_loop(floating ? "fp_minmax 1, fp_add 1" : "");
  if (name == "atomic_read") return "load 1";
  if (name.starts_with("atomic_write")) {
    return row.form.order == order::seq_cst ? "xchg_mem 1 | store 1, mfence 1" : "store 1";
  }
  if (name == "critical_add") return with(critical_calls, plain_add(row));
  if (name == "critical_named_add") return with(named_critical_calls, plain_add(row));
  if (name == "lock_add" || name.starts_with("lock_hint_"))
    return with("call:omp_set_lock 1, call:omp_unset_lock 1", plain_add(row));
  if (name == "nest_lock_add")
    return with("call:omp_set_nest_lock 1, call:omp_unset_nest_lock 1", plain_add(row));
  if (name == "spin_lock_add") return lock_of_atomics(row, "xchg_mem 1, branch 2");
  if (name == "ticket_lock_add") return lock_of_atomics(row, "lock_xadd 1, branch 1");
  if (row.info.family == family::fence) return fence(row.form.order);
  // g++ 16 also reads first here, and swaps a value that is not a token for itself.
  if (name == "handoff_cas")
    return "lock_cmpxchg 1, branch 1, store 1 | load 1, branch 2, lock_cmpxchg 1, store 1";
  if (name == "reduce_max") return "call:syncmeter::omp::reduce_max 1";
  if (name == "handoff") return "load 1, branch 1, store 1";
  if (name == "region_after_gap") return construct("parallel_region");
  if (row.info.family >= family::region && row.info.family <= family::tasking)
    return construct(name);
  return without_api(row);
}

}  // namespace

std::string declared_instructions(const measurable& row) {
  const auto text = x86_64(row);
  const bool ordered = row.info.orders == orders::atomic && row.form.order != order::relaxed;
  if (!flush_is_call || !ordered) return text;
  // clang adds a flush call to every atomic that is not relaxed.
  const std::string flushed = with("call:__kmpc_flush 1", text);
  const unsigned kept = kept_on_stack(row);
  return kept == 0 ? flushed
                   : fmt::format("{} | {}", flushed, with(fmt::format("spill {}", kept), flushed));
}

}  // namespace syncmeter::omp
