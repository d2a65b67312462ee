#include "backends/posix/posix_backend.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/worker/declaration_text.hpp"

namespace syncmeter::posix {
namespace {

// Returns the calls of a lock with the guarded add or read.
std::string guarded(std::string_view lock, std::string_view unlock, const std::string& inside) {
  return with(fmt::format("call:pthread_{} 1, call:pthread_{} 1", lock, unlock), inside);
}

// Returns the call of a ring template, which differs for each channel.
std::string ring_call(std::string_view ring, std::string_view step, std::string_view op) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> channels{
      {{"condition", "condition"},
       {"semaphore", "semaphore"},
       {"futex", "futex_wait"},
       {"eventfd", "event"},
       {"pipe", "pipe_end"},
       {"spin", "spinning"},
       {"pause", "pausing"},
       {"backoff", "backing_off"},
       {"yield", "yielding"}}};
  for (const auto& [name, channel] : channels) {
    if (op.find(name) != op.npos)
      return fmt::format("call:syncmeter::{}<syncmeter::posix::{}>::{} 1", ring, channel, step);
  }
  return {};
}

}  // namespace

std::string declared_instructions(const measurable& row) {
  const auto name = row.info.name;
  if (name == "barrier" || name == "barrier_after_work") return "call:pthread_barrier_wait 1";
  if (name == "barrier_late") return "call:pthread_barrier_wait 1, store 1";
  if (name == "lock_add" || name.starts_with("mutex_"))
    return guarded("mutex_lock", "mutex_unlock", plain_add(row));
  if (name == "pthread_spin_add") return guarded("spin_lock", "spin_unlock", plain_add(row));
  if (name.starts_with("rwlock_") && name.ends_with("_add"))
    return guarded("rwlock_wrlock", "rwlock_unlock", plain_add(row));
  if (name.starts_with("rwlock_")) return guarded("rwlock_rdlock", "rwlock_unlock", "load 1");
  if (name.ends_with("_handoff")) return ring_call("token_ring", "pass_on", name);
  if (name.starts_with("work_beside_")) return ring_call("worked_ring", "work_or_wait", name);
  if (name.starts_with("wait_")) return ring_call("late_ring", "meet", name) + ", store 1";
  if (name == "per_cpu_add") return "load 1, rmw 1, store 1 | load 3, rmw 1, store 1";
  if (name == "spin_pause") return "pause 1, load 1 | isb 1, load 1";
  if (name == "membarrier") return "call:syncmeter::posix::expedited_barrier 1";
  return without_api(row);
}

}  // namespace syncmeter::posix
