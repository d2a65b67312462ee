// Kokkos' atomics are compiler builtins if the operation and type have one, and compare-and-swap
// loops otherwise. Before version 5, loads and stores are loops as well.
#include "backends/kokkos/kokkos_census.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/kokkos/kokkos_ops.hpp"
#include "core/worker/declaration_text.hpp"

namespace syncmeter::kokkos {
namespace {

// A check whether a swap is needed precedes the compare-and-swap.
std::string minimum_or_maximum(const measurable& row) {
  const bool raises = row.info.name.ends_with("_raise");
  return fmt::format("load 1, branch 2, lock_cmpxchg 1{}{}", is_float(row) ? ", fp_compare 1" : "",
                     is_float(row) && raises ? ", fp_add 1" : "");
}

std::string compare_exchange(const measurable& row) {
  // g++ passes a floating-point value through the stack.
  return is_float(row) ? "lock_cmpxchg 1 | load 1, store 1, spill 2, branch 1, lock_cmpxchg 1"
                       : "lock_cmpxchg 1";
}

// With threads, a ScatterView finds its copy by a call for the thread number. No floating-point
// register survives the call.
std::string contribution(const measurable& row) {
  if (row.info.name == ops::scatter_add_atomic::info.name)
    return is_float(row) ? "load 2, fp_add 1, lock_cmpxchg 1, branch 1" : "load 1, lock_add 1";
  const std::string own = is_float(row) ? "fp_add 1, load 2, store 1" : "load 1, rmw 1";
  const std::string found =
      is_float(row) ? "imul 1, fp_add 1, load 3, spill 1, store 1" : "imul 1, load 2, rmw 1";
  return fmt::format("{0} | call:omp_get_thread_num 1, {1} | "
                     "call:Kokkos::Threads::impl_thread_pool_rank_host 1, {1}",
                     own, found);
}

// A lock acquired by compare-and-swap and released by a store, around a plain add.
std::string critical(const measurable& row) {
  if (is_float(row)) {
    return "load 2, fp_add 1, store 1, lock_cmpxchg 2, branch 2 | "
           "load 1, fp_add 1, store 2, lock_cmpxchg 1, branch 1";
  }
  return "load 2, store 1, lock_cmpxchg 2, branch 2 | load 1, rmw 1, lock_cmpxchg 2, branch 2 | "
         "load 1, store 2, lock_cmpxchg 1, branch 1 | rmw 1, store 1, lock_cmpxchg 1, branch 1";
}

std::string x86_64(const measurable& row) {
  const auto name = row.info.name;
  const bool floating = is_float(row);
  if (name == "barrier") return "call:syncmeter::kokkos::team_barrier 1";
  if (name == "kokkos_fence") return "call:syncmeter::kokkos::fence_all 1";
  if (row.info.family == family::group || row.info.family == family::launch)
    return fmt::format("call:syncmeter::kokkos::{} 1", name);
  if (name == "atomic_add") return floating ? cas_loop("fp_add 1") : "lock_add 1";
  if (name == "atomic_sub") return floating ? cas_loop("fp_add 1") : "lock_sub 1";
  if (name == "atomic_fetch_add") return floating ? cas_loop("fp_add 1") : "lock_xadd 1";
  if (name == "atomic_exchange") return floating ? "xchg_mem 1, fp_add 1" : "xchg_mem 1";
  if (name.starts_with("atomic_cas")) return compare_exchange(row);
  if (name.starts_with("atomic_max") || name.starts_with("atomic_min"))
    return minimum_or_maximum(row);
  if (name == "atomic_read") return "load 1 | " + cas_loop("");
  if (name.starts_with("atomic_write")) return "store 1 | " + cas_loop("");
  if (name == "critical_add") return critical(row);
  if (name == "reduce_max") return "call:syncmeter::kokkos::reduce_max 1";
  if (row.info.family == family::reduction) return contribution(row);
  // x86 reorders only a store before a load, so only the full fence needs an instruction.
  if (row.info.family == family::fence)
    return row.form.order == order::unordered ? "lock_or 1 | mfence 1" : "nothing";
  if (name == "handoff_cas")
    return "load 1, branch 2, lock_cmpxchg 2 | branch 1, lock_cmpxchg 1, store 1";
  if (name == "handoff") return "load 2, branch 3, lock_cmpxchg 2 | load 1, branch 1, store 1";
  return without_api(row);
}

}  // namespace

nlohmann::json declared_instructions(const measurable& row) {
  auto declared = nlohmann::json::object();
  if (auto text = x86_64(row); !text.empty()) declared["x86-64"] = std::move(text);
  return declared;
}

}  // namespace syncmeter::kokkos
