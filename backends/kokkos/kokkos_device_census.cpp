// Code of Kokkos ops on a GPU. Arithmetic atomics are CUDA's functions. Ops without a CUDA function
// are compare-and-swap loops, before version 5 loads and stores as well. A 64-bit loop goes through
// the stack. All fences are full.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/kokkos/kokkos_census.hpp"
#include "core/worker/declaration_text.hpp"

namespace syncmeter::kokkos {
namespace {

bool is_wide(const measurable& row) {
  return row.type == value_type::uint64 || row.type == value_type::float64;
}

/// Returns the addition for the op's next operand.
std::string addition(const measurable& row) {
  if (row.type == value_type::float32) return ", FADD 1";
  return row.type == value_type::float64 ? ", DADD 1" : "";
}

std::string cas_loop(const measurable& row, int more_branches = 0) {
  return is_wide(row)
             ? fmt::format("LDG 1, ATOM.CAS 1, LD 1, ST 1, YIELD 1, branch {}", 2 + more_branches)
             : fmt::format("LDG 1, ATOM.CAS 1, YIELD 1, branch {}", 1 + more_branches);
}

constexpr const char* fence = "MEMBAR.SC.GPU {0}, ERRBAR {0}, CGAERRBAR {0}, CCTL.IVALL {0}";

// Returns an empty text if CUDA's declaration also holds for Kokkos.
std::string own(const measurable& row) {
  const auto name = row.info.name;
  // Kokkos adds the fence for teams that share a block, which never happens here.
  if (name == "barrier") return "BAR.SYNC 1 | BAR.SYNC 1, MEMBAR.SC.CTA 1";
  if (row.info.family == family::fence) return fmt::format(fence, 1);
  if (name == "atomic_read") return "LDG.STRONG.GPU 1 | LD.STRONG.GPU 1 | " + cas_loop(row);
  if (name == "atomic_write") return "STG.STRONG.GPU 1 | " + cas_loop(row) + addition(row);
  if (name == "atomic_write_two_lines") return "STG.STRONG.GPU 1 | " + cas_loop(row);
  if (name.starts_with("atomic_cas"))
    return is_wide(row) ? "ATOM.CAS 1, LD 1, ST 1, branch 1 | ATOM.CAS 1" : "ATOM.CAS 1";
  if (is_float(row) && (name.starts_with("atomic_max") || name.starts_with("atomic_min"))) {
    const bool raises = name.ends_with("_raise");
    return cas_loop(row, 1) + ", fp_compare 1" + (raises ? addition(row) : "");
  }
  if (name == "atomic_exchange" && is_wide(row))
    return "ATOM.EXCH 1, LD 1, ST 1" + addition(row) + " | ATOM.EXCH 1" + addition(row);
  if (name == "critical_add") {
    return "ATOM.CAS 2, LDG 1, LDG.STRONG.SYS 1, STG.STRONG.SYS 1, YIELD 2, branch 2, " +
           fmt::format(fence, 2) + addition(row);
  }
  if (name == "handoff")
    return "ATOM.CAS 2, LD 2, ST 2, LDG 2, YIELD 2, branch 5, " + fmt::format(fence, 2);
  return {};
}

}  // namespace

nlohmann::json declared_device_instructions(const measurable& row) {
  // Declares nothing, because operands are computed ahead and exceed the registers by one.
  if (row.info.name == "atomic_exchange" && is_float(row) &&
      row.form.placement == placement::strided)
    return nlohmann::json::object();
  if (auto text = own(row); !text.empty()) return cuda::declared_sass({std::move(text)});
  measurable native = row;
  native.form.scope = scope::device;
  native.form.flavour = flavour::function;
  native.form.space = space::global;
  return cuda::declared_instructions(native);
}

}  // namespace syncmeter::kokkos
