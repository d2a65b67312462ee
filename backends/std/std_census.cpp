#include "backends/std/std_backend.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/worker/declaration_text.hpp"

namespace syncmeter::standard {
namespace {

// std::mutex checks the result of pthread_mutex_lock to throw an error, but not the result of
// unlock.
constexpr std::string_view mutex_calls =
    "call:pthread_mutex_lock 1, call:pthread_mutex_unlock 1, branch 1";

// libstdc++ passes floating-point values to the compare-and-swap through the stack. g++ keeps the
// stack accesses (spills, and a load and store for the found value). clang removes the accesses.
std::string floating_update(std::string_view name) {
  constexpr std::string_view by_gcc = "load 2, store 1, fp_add 2, lock_cmpxchg 1";
  const std::string clean = cas_loop("fp_add 1");
  if (name != "atomic_fetch_add") return fmt::format("{} | {}, spill 2, branch 1", clean, by_gcc);
  return fmt::format("{0} | {1}, spill 3, branch 1 | {1}, spill 2, branch 2", clean, by_gcc);
}

// A first read with a branch, then the compare-and-swap with a branch. clang adds a separate
// comparison on the path back from the compare-and-swap.
std::string minimum_or_maximum(const measurable& row) {
  if (!is_float(row)) return "load 1, branch 2, lock_cmpxchg 1";
  const bool raises = row.info.name.ends_with("_raise");
  return with(raises ? "load 1, lock_cmpxchg 1, fp_add 1" : "load 1, lock_cmpxchg 1",
              "branch 2, fp_compare 1 | branch 2, fp_compare 1, spill 4 | branch 3, fp_compare 2");
}

}  // namespace

std::string declared_instructions(const measurable& row) {
  const auto name = row.info.name;
  const bool floating = is_float(row);
  if (name == "barrier") return "call:syncmeter::standard::arrive_and_wait 1";
  if (name == "barrier_late") return "call:syncmeter::standard::arrive_and_wait 1, store 1";
  if (name == "atomic_add") return floating ? floating_update(name) : "lock_add 1";
  if (name == "atomic_sub") return floating ? floating_update(name) : "lock_sub 1";
  if (name == "atomic_fetch_add") return floating ? floating_update(name) : "lock_xadd 1";
  if (name == "atomic_exchange") return floating ? "xchg_mem 1, fp_add 1" : "xchg_mem 1";
  if (name.starts_with("atomic_cas"))
    return floating ? "lock_cmpxchg 1 | load 1, store 1, spill 2, branch 1, lock_cmpxchg 1"
                    : "lock_cmpxchg 1";
  if (name.starts_with("atomic_max") || name.starts_with("atomic_min"))
    return minimum_or_maximum(row);
  if (name == "atomic_read") return "load 1";
  if (name.starts_with("atomic_write"))
    return row.form.order == order::seq_cst ? "xchg_mem 1 | store 1, mfence 1" : "store 1";
  if (name == "critical_add" || name == "lock_add") return with(mutex_calls, plain_add(row));
  if (name == "shared_mutex_add")
    return with("call:pthread_rwlock_wrlock 1, call:pthread_rwlock_unlock 1, branch 1",
                plain_add(row));
  if (name == "shared_mutex_read")
    return fmt::format(
        "call:pthread_rwlock_rdlock 1, call:pthread_rwlock_unlock 1, branch 2, load 1{}",
        floating ? ", spill 2" : "");
  if (name == "spin_lock_add") return under_lock(row, "xchg_mem 1, branch 2");
  if (name == "ticket_lock_add") return under_lock(row, "lock_xadd 1, branch 1");
  // x86 reorders only a store before a load, so only the full fence needs an instruction.
  if (row.info.family == family::fence)
    return row.form.order == order::seq_cst ? "lock_or 1 | mfence 1" : "nothing";
  if (name == "handoff_cas") return "lock_cmpxchg 1, branch 1, store 1";
  if (name == "handoff") return "load 1, branch 1, store 1";
  if (name == "atomic_wait_handoff")
    return "call:syncmeter::standard::wait_for_token 1, call:syncmeter::standard::post_token 1";
  if (name == "wait_atomic") {
    return "call:syncmeter::late_ring<syncmeter::standard::ops::atomic_wait_channel>::meet 1, "
           "store 1";
  }
  if (row.info.family == family::region)
    return fmt::format("call:syncmeter::standard::ops::{}::step 1", name);
  return without_api(row);
}

}  // namespace syncmeter::standard
