// What a handoff between warps should compile to: one wait and one pass. A poll is one load and the
// way back; its count is register arithmetic.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/handoff/handoff_rows.hpp"
#include "backends/cuda/rig/cuda_census.hpp"

namespace syncmeter::cuda {
namespace {

// A cluster has no level of its own: its accesses and fences are those of the device.
std::string_view level(scope s) {
  if (s == scope::block) return "CTA";
  return s == scope::system ? "SYS" : "GPU";
}

// How far an access reaches. Volatile is as wide as the system, whatever fence stands beside it.
std::string_view reach(const form& f) {
  if (f.flavour == flavour::volatile_access) return "SYS";
  return f.scope == scope::block ? "SM" : level(f.scope);
}

std::string sass(const form& f) {
  // libcu++ does not say that its address is in global memory.
  const std::string_view space = f.flavour == flavour::atomic_ref ? "" : "G";
  auto text =
      fmt::format("LD{0}.STRONG.{1} 1, ST{0}.STRONG.{1} 1, YIELD 1, branch 1", space, reach(f));
  if (f.order == order::relaxed) return text;
  // CUDA's fence is of seq_cst, and there are two of them: behind the wait and before the pass.
  const bool by_fence = f.flavour == flavour::volatile_access;
  text += fmt::format(", MEMBAR.{}.{} {}", by_fence ? "SC" : "ALL", level(f.scope), by_fence + 1);
  if (f.scope == scope::block) return text;
  return text + fmt::format(", ERRBAR {0}, CGAERRBAR {0}, CCTL.IVALL {0}", by_fence + 1);
}

}  // namespace

nlohmann::json declared_handoff(const measurable& row) {
  if (row.code == nullptr) return nlohmann::json::object();
  return declared_sass(sass(row.form));
}

}  // namespace syncmeter::cuda
