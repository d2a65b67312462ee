// What the ops over several devices should compile to. Each wait has three branches: reached, given
// up before, and the look at the timer.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/multi/multi_rows.hpp"
#include "backends/cuda/rig/cuda_census.hpp"

namespace syncmeter::cuda {
namespace {

std::string fences(std::string_view membar, unsigned times) {
  return fmt::format("MEMBAR.{0} {1}, ERRBAR {1}, CGAERRBAR {1}", membar, times);
}

// By the word for a device's own arrivals: a fence, an add, and the drop of L1.
std::string barrier(std::string_view op) {
  const std::string block = "BAR.SYNC 2, SHFL.IDX 1, ";
  if (op == "multi_gpu_barrier_counter") {
    return block + "ATOMG.ADD 2, LDG.STRONG.SYS 1, LDG.STRONG.GPU 1, STG.STRONG.GPU 1, "
                   "MEMBAR.ALL.GPU 2, MEMBAR.ALL.SYS 1, ERRBAR 3, CGAERRBAR 3, CCTL.IVALL 4, "
                   "WARPSYNC 2, YIELD 2, branch 10, imad 2";
  }
  if (op == "multi_gpu_barrier_flags") {
    return block + "ATOMG.ADD 1, LDG.STRONG.SYS 1, STG.STRONG.SYS 1, MEMBAR.ALL.GPU 1, "
                   "MEMBAR.ALL.SYS 1, ERRBAR 2, CGAERRBAR 2, CCTL.IVALL 2, WARPSYNC 2, YIELD 1, "
                   "branch 8, imad 1";
  }
  return block + "ATOMG.ADD 1, LDG.STRONG.SYS 1, LDG.STRONG.GPU 1, STG.STRONG.SYS 1, "
                 "STG.STRONG.GPU 1, MEMBAR.ALL.GPU 2, MEMBAR.ALL.SYS 1, ERRBAR 3, CGAERRBAR 3, "
                 "CCTL.IVALL 3, WARPSYNC 3, YIELD 2, branch 13, imad 1";
}

// A volatile access is one of system scope; a fence by its function is sequentially consistent, and
// stands before the store and behind the load.
std::string token(const form& f) {
  const bool system = f.scope == scope::system;
  const std::string_view level = system ? "SYS" : "GPU";
  const std::string_view reach = system || f.flavour == flavour::volatile_access ? "SYS" : "GPU";
  std::string text = fmt::format("LDG.STRONG.{0} 1, STG.STRONG.{0} 1, branch 3", reach);
  if (f.order == order::relaxed) return text;
  if (f.flavour == flavour::ptx)
    return text + ", " + fences(fmt::format("ALL.{}", level), 1) + ", CCTL.IVALL 1";
  return text + ", " + fences(fmt::format("SC.{}", level), 2) + ", CCTL.IVALL 2";
}

}  // namespace

nlohmann::json multi_declares(const measurable& row) {
  if (row.info.family == family::barrier) return declared_sass(barrier(row.info.name));
  if (row.info.family == family::handoff) return declared_sass(token(row.form));
  return declared_sass("ATOMG.ADD 1");
}

// Each is an access of one device's own ops, whatever memory it is on.
nlohmann::json remote_declares(const measurable& row) {
  measurable twin = row;
  const std::string_view op = row.info.name;
  if (op == "remote_atomic_add_dependent") twin.info.name = "atomic_add_dependent";
  else if (op == "remote_atomic_add") twin.info.name = "atomic_add";
  else if (op == "remote_exchange") twin.info.name = "atomic_exchange";
  else if (op == "remote_cas") twin.info.name = "atomic_cas_pass";
  else if (op == "remote_load") twin.info.name = "atomic_read";
  else twin.info.name = "atomic_write";
  twin.info.family = family::atomic;
  return declared_instructions(twin);
}

}  // namespace syncmeter::cuda
