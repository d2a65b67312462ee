// Declarations describe one op. g++ makes PTX, which CUDA's driver compiles. The census uses ptxas
// instead. Register arithmetic and moves are free (driver/census/rule/census.hpp).
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/omp_target/target_backend.hpp"
#include "core/worker/declaration_text.hpp"

namespace syncmeter::omp_target {
namespace {

class instructions {
 public:
  instructions& add(int number, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) numbers_[name] += number;
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [name, number] : numbers_)
      if (number > 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", name, number);
    return all;
  }

 private:
  std::map<std::string_view, int> numbers_;
};

// g++ 12 has only the widest fence.
void add_fences(instructions& all, int number) {
  all.add(number, {"MEMBAR.SC.SYS", "MEMBAR.ALL.CTA", "ERRBAR", "CGAERRBAR", "CCTL.IVALL"});
}

// Code that may run in a `simd` loop or outside checks this at each update. Outside, one lane
// updates, and the other lanes wait for its result (64 bits in two halves). Each wait has a path
// for diverged warps.
void add_one_or_all_lanes(instructions& all, bool used, bool wide) {
  const int waits = used && wide ? 2 : 1;
  all.add(waits, {"BRA.DIV", "WARPSYNC.COLLECTIVE", "jump"}).add(1 + waits, {"branch"});
  if (used) all.add(2 * waits, {"SHFL.IDX"});
}

// Addresses are generic. For 64 bits ptxas adds a path to the thread's local memory (LD, ST). A
// 64-bit add also gets a compare-and-swap path to the block's memory.
void add_atomic(instructions& all, std::string_view operation, bool wide) {
  all.add(1, {operation});
  if (wide) all.add(1, {"LD", "ST", "branch"});
  if (wide && operation == "ATOM.ADD")
    all.add(1, {"ATOMS.CAST.SPIN", "LDS", "QSPC", "jump"}).add(2, {"branch"});
}

std::string sass(const measurable& row) {
  const auto name = row.info.name;
  const bool wide = row.type && size_of(*row.type) == 8;
  const bool floating = is_float(row);
  const order o = row.form.order;
  instructions all;
  if (floating) all.add(1, {wide ? "DADD" : "FADD"});
  if (name == "barrier") return all.add(1, {"call:(inside)"}).text();
  if (row.info.family == family::critical)
    return all.add(2, {"call:(inside)"}).add(1, {"LD", "ST"}).text();
  if (name == "fence" || name == "handoff") {
    add_fences(all, name == "fence" ? 1 : 2);
    if (name == "handoff") all.add(1, {"LD", "ST", "branch"});
    return all.text();
  }
  if (name == "atomic_read" || name == "atomic_write") {
    add_fences(all, o == order::seq_cst ? 2 : 1);
    return all.add(1, {name == "atomic_read" ? "LD" : "ST"}).text();
  }
  const bool adds = name == "atomic_add" || name == "atomic_fetch_add";
  const bool by_cas = floating && adds;  // a loop
  if (by_cas) all.add(1, {"LD", "YIELD", "branch"});
  const bool used = name != "atomic_add" || by_cas;
  add_atomic(all,
             by_cas || name.starts_with("atomic_cas") ? "ATOM.CAS"
             : adds                                   ? "ATOM.ADD"
                                                      : "ATOM.EXCH",
             wide);
  add_one_or_all_lanes(all, used, wide);
  if (o == order::relaxed) return all.text();
  // The fence after the update is also a step that one lane may do for all.
  const bool both_sides = o == order::seq_cst || used;
  add_fences(all, both_sides ? 2 : 1);
  return all.add(both_sides ? 1 : 0, {"branch"}).text();
}

}  // namespace

nlohmann::json declared_instructions(const measurable& row) {
  if (row.info.host_lane) {
    const auto call = fmt::format(
        "call:syncmeter::omp_target::ops::{}::step 1, inner:GOMP_target_ext 1", row.info.name);
    return {{"x86-64", fmt::format("{0} | {0}, spill 1", call)}};
  }
  // The declarations hold for PTX from g++ 12 only.
  return __GNUC__ == 12 ? nlohmann::json{{"sass", sass(row)}} : nlohmann::json::object();
}

}  // namespace syncmeter::omp_target
