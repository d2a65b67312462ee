// Each declaration describes one op. Register arithmetic and moves are free
// (driver/census/rule/census.hpp): a used result and a changing operand cost some, equally on both
// sides.
#include "backends/cuda/rig/cuda_census.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/architectures.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"
#include "core/worker/declaration_text.hpp"

namespace syncmeter::cuda {
namespace {

/// Generations with the same code shape, except for single instructions (rig/architectures.hpp).
enum class generation { before_hopper, hopper, behind_hopper };

std::string_view level(scope s) {
  if (s == scope::block) return "CTA";
  return s == scope::system ? "SYS" : "GPU";
}

// A fence wider than a block drops L1 (CCTL.IVALL), and waits for its own errors and its cluster's
// (ERRBAR, CGAERRBAR).
std::string fence(bool sequential, scope s) {
  const auto bar = fmt::format("MEMBAR.{}.{} 1", sequential ? "SC" : "ALL", level(s));
  return s == scope::block ? bar : bar + ", ERRBAR 1, CGAERRBAR 1, CCTL.IVALL 1";
}

std::string_view operation(std::string_view op) {
  if (op.starts_with("atomic_max")) return "MAX";
  if (op.starts_with("atomic_min")) return "MIN";
  if (op == "atomic_and") return "AND";
  if (op == "atomic_or") return "OR";
  if (op == "atomic_xor") return "XOR";
  if (op == "atomic_inc") return "INC";
  if (op == "atomic_exchange") return "EXCH";
  if (op.starts_with("atomic_cas")) return "CAS";
  return "ADD";  // a subtraction adds the negative
}

bool uses_result(std::string_view op) {
  return op == "atomic_fetch_add" || op == "atomic_add_dependent" || op == "atomic_exchange" ||
         op.starts_with("atomic_cas");
}

// A block's own memory has no floating add, only a loop around a compare-and-swap.
std::string in_shared_memory(const measurable& row) {
  const std::string_view what = operation(row.info.name);
  if (!is_float(row) || what != "ADD") return fmt::format("ATOMS.{} 1", what);
  const auto add = row.type == value_type::float64 ? "DADD" : "FADD";
  return fmt::format("LDS 1, {0} 1, ATOMS.CAST.SPIN 1, branch 1 | "
                     "LDS 1, {0} 1, ATOMS.CAST.SPIN 1, fp_compare 1, branch 1",
                     add);
}

// If all lanes visibly use one address, one lane of a warp may act for all. It reduces the operands
// and hands each lane its part of the result.
std::string of_one_address(std::string_view op, const std::string& alone, std::string_view what,
                           generation g) {
  if (op == "atomic_fetch_add") {
    return with(alone, "SHFL.IDX 1 | SHFL.IDX 2, imad 1 | SHFL.IDX 1, imad 2, "
                       "VOTEU.ANY 1 | "
                       "SHFL.IDX 1, imad 1, VOTEU.ANY 1") +
           " | " + alone;
  }
  if (op == "atomic_add_dependent") {
    // One path for a diverged warp, one for a converged warp.
    const std::string twice = alone.substr(0, alone.rfind(' ')) + " 2";
    return with(twice, "SHFL.IDX 1, SHFL.UP 6, VOTE.ANY 1, branch 1 | "
                       "SHFL.IDX 1, SHFL.UP 6, VOTE.ANY 2, branch 1 | "
                       "SHFL.IDX 2, SHFL.UP 12, VOTE.ANY 1, branch 1") +
           " | " + alone;
  }
  if (uses_result(op)) return alone;
  const auto reduction = fmt::format("REDUX.{} 1", what == "ADD" ? "SUM" : what);
  std::string all =
      alone + " | " + with(alone, reduction + " | " + reduction + ", VOTEU.ANY 1 | VOTEU.ANY 1");
  // There libcu++ computes each lane's part even for an unused result.
  if (g == generation::before_hopper && alone.starts_with("ATOM.ADD"))
    all += " | " + with(alone, "SHFL.IDX 1, imad 1 | SHFL.IDX 1, VOTEU.ANY 1, imad 2");
  return all;
}

// Omits the default device scope. A block's own memory has only one scope.
std::string_view scope_of_atomic(const form& f, std::string_view opcode) {
  if (opcode == "ATOMS" || f.scope == scope::device) return "";
  return f.scope == scope::block ? ".SM" : ".SYS";
}

std::string relaxed_atomic(const measurable& row, std::string_view opcode, generation g) {
  const std::string_view what = operation(row.info.name);
  const std::string alone =
      fmt::format("{}.{}{} 1", opcode, what, scope_of_atomic(row.form, opcode));
  const bool one_address = row.form.placement == placement::shared && !is_float(row);
  return one_address ? of_one_address(row.info.name, alone, what, g) : alone;
}

// Adds an order: a fence before (release) and a drop of L1 after (acquire) on each path. Within a
// block only the wait for earlier writes remains.
std::string with_order(const form& f, bool loads, const std::string& relaxed, int paths = 1) {
  if (f.order == order::unordered || f.order == order::relaxed) return relaxed;
  const bool wide = f.scope != scope::block;
  const bool sequential = f.order == order::seq_cst;
  const bool acquires =
      f.order == order::acquire || f.order == order::acq_rel || (sequential && loads);
  const int fences = f.order == order::acquire ? 0 : sequential ? 1 : paths;
  const int drops = wide ? (acquires ? paths : 0) + (sequential ? 1 : 0) : 0;
  std::string around;
  if (fences > 0) {
    around = fmt::format("MEMBAR.{}.{} {}", sequential ? "SC" : "ALL", level(f.scope), fences);
    if (wide) around += fmt::format(", ERRBAR {0}, CGAERRBAR {0}", fences);
  }
  if (drops > 0) around += fmt::format("{}CCTL.IVALL {}", around.empty() ? "" : ", ", drops);
  return with(around, relaxed);
}

std::string joined(std::string first, const std::string& second) {
  return first.empty() ? second : std::move(first) + " | " + second;
}

// Returns the floating arithmetic for the next operand. The compiler must not fold a changing
// operand. A dependent operand comes from the last result.
std::string operand_arithmetic(const measurable& row) {
  const std::string_view op = row.info.name;
  if (!is_float(row)) return {};
  const char kind = row.type == value_type::float64 ? 'D' : 'F';
  if (op == "atomic_add_dependent") return fmt::format("{}FMA 1", kind);
  if (op == "atomic_exchange" || op == "atomic_write") return fmt::format("{}ADD 1", kind);
  return {};
}

std::string atomic(const measurable& row, generation g) {
  const std::string_view op = row.info.name;
  const form& f = row.form;
  const auto reach = f.scope == scope::block ? "SM" : level(f.scope);
  if (op == "atomic_read")
    return with_order(f, true, fmt::format("LD.STRONG.{0} 1 | LDG.STRONG.{0} 1 | LDS 1", reach));
  if (op.starts_with("atomic_write"))
    return with_order(f, false,
                      with(operand_arithmetic(row),
                           fmt::format("ST.STRONG.{0} 1 | STG.STRONG.{0} 1 | STS 1", reach)));
  // libcu++ declares neither one address space nor an unused result.
  std::vector<std::string_view> opcodes;
  if (f.space == space::shared_memory) {
    if (is_float(row)) return in_shared_memory(row);
    opcodes = {"ATOMS", "ATOM"};
  } else if (uses_result(op)) {
    opcodes = {"ATOMG", "ATOM"};
  } else if (f.flavour == flavour::atomic_ref) {
    opcodes = {"ATOM", "ATOMG", "RED"};
  } else {
    opcodes = {"RED"};
  }
  std::string all;
  for (const auto opcode : opcodes) all = joined(std::move(all), relaxed_atomic(row, opcode, g));
  // libcu++ exchanges a double through the stack.
  if (op == "atomic_exchange" && row.type == value_type::float64)
    all += " | " + with("LD 1, ST 1", all);
  all = with(operand_arithmetic(row), all);
  const bool two_paths = op == "atomic_add_dependent" && f.placement == placement::shared;
  return two_paths ? with_order(f, true, all) + " | " + with_order(f, true, all, 2)
                   : with_order(f, true, all);
}

// Block and warp ops. block_barrier has two ways to wait for the phase: polling, and a growing
// pause.
constexpr std::pair<std::string_view, std::string_view> by_name[]{
    {"barrier", "BAR.SYNC 1"},
    {"named_barrier", "BAR.SYNC 1"},
    {"syncthreads_count", "BAR.RED.POPC 1, B2R.RESULT 1"},
    {"syncthreads_and", "BAR.RED.AND 1, B2R.RESULT 1"},
    {"syncthreads_or", "BAR.RED.OR 1, B2R.RESULT 1"},
    {"block_barrier", "SYNCS.ARRIVE 1, SYNCS.PHASECHK 2, NANOSLEEP 2, branch 5, imad 1 | "
                      "SYNCS.ARRIVE 1, SYNCS.PHASECHK 2, NANOSLEEP 2, branch 5"},
    {"warp_sync", "nothing"},  // known to be converged
    {"warp_sync_partial", "nothing | WARPSYNC.COLLECTIVE 1 | WARPSYNC 1"},
    {"active_mask", "nothing"},  // a converged loop's mask is known once
    // A vote on each side, and the way back together.
    {"warp_sync_divergent", "VOTE.ANY 4, BRA.DIV 3, WARPSYNC.COLLECTIVE 3, branch 1"},
    {"shuffle_idx", "SHFL.IDX 1"},
    {"shuffle_up", "SHFL.UP 1"},
    {"shuffle_down", "SHFL.DOWN 1"},
    {"shuffle_xor", "SHFL.BFLY 1"},
    {"vote_all", "VOTE.ALL 1"},
    {"vote_any", "VOTE.ANY 1"},
    {"vote_ballot", "VOTE.ANY 1"},
    {"match_any", "MATCH.ANY 1"},
    {"match_all", "MATCH.ALL 1"},
    {"reduce_add_sync", "REDUX.SUM 1"},
    {"reduce_min_sync", "REDUX.MIN 1"},
    {"reduce_max_sync", "REDUX.MAX 1"},
    {"reduce_and_sync", "REDUX.AND 1"},
    {"reduce_or_sync", "REDUX.OR 1"},
    {"reduce_xor_sync", "REDUX.XOR 1"}};

// Code with a different shape before Hopper: a barrier object is words in shared memory, and a
// compiler function synchronizes diverged lanes.
constexpr std::pair<std::string_view, std::string_view> by_name_before_hopper[]{
    {"block_barrier", "ATOMS.ARRIVE 1, LDS 2, MEMBAR.ALL.CTA 1, NANOSLEEP 2, YIELD 1, branch 5"},
    {"warp_sync_partial", "BRA.DIV 1, call:(inside) 1"},
    {"warp_sync_divergent", "VOTE.ANY 2, BRA.DIV 3, call:(inside) 3, branch 1"}};

std::string named(std::string_view op, generation g) {
  if (g == generation::before_hopper)
    for (const auto& [name, text] : by_name_before_hopper)
      if (name == op) return std::string{text};
  for (const auto& [name, text] : by_name)
    if (name == op) return std::string{text};
  return {};
}

// Adds the op's own floating addition.
std::string with_addition(const measurable& row, std::string text) {
  if (row.type == value_type::float32) text += ", FADD 1";
  if (row.type == value_type::float64) text += ", DADD 1";
  return text;
}

// Acquires the lock (and drops L1), adds, and releases it (and waits for the writes). A lane that
// failed to acquire takes the branch back.
std::string critical(const measurable& row, generation g) {
  if (row.info.name != "critical_add") return {};
  return with_addition(
      row, fmt::format("ATOM.CAS 1, CCTL.IVALL 1, LDG.STRONG.SYS 1, STG.STRONG.SYS 1, "
                       "MEMBAR.ALL.GPU 1, ERRBAR 1, CGAERRBAR 1, ST.STRONG.GPU 1, YIELD 1, "
                       "branch {}",
                       g == generation::behind_hopper ? 1 : 2));
}

std::string handoff(scope s) {
  const std::string_view reach = s == scope::block ? "SM" : level(s);
  auto text = fmt::format("LD.STRONG.{0} 1, ST.STRONG.{0} 1, MEMBAR.ALL.{1} 1, YIELD 1, branch 1",
                          reach, level(s));
  return s == scope::block ? text : text + ", ERRBAR 1, CGAERRBAR 1, CCTL.IVALL 1";
}

// A 64-bit product consists of three 32-bit products with their carries.
std::string multiplies(value_type type, std::string_view how_many) {
  if (type == value_type::float32) return fmt::format("FMUL {}", how_many);
  if (type == value_type::float64) return fmt::format("DMUL {}", how_many);
  if (type == value_type::uint64)
    return fmt::format("imad {}", 3 * std::stoi(std::string(how_many)));
  return fmt::format("imad {}", how_many);
}

std::string sass(const measurable& row, generation g) {
  const std::string_view op = row.info.name;
  switch (row.info.family) {
  case family::barrier:
  case family::warp:
    return named(op, g);
  case family::fence:
    return fence(row.form.order == order::unordered || row.form.order == order::seq_cst,
                 row.form.scope);
  case family::atomic:
    return atomic(row, g);
  case family::memory:
    if (op == "memory_latency_shared") return "LDS 1";
    if (op == "memory_latency_l1") return "LDG.STRONG.SM 1";
    if (op.starts_with("memory_latency")) return "LDG.STRONG.GPU 1";
    if (op == "plain_add") return with_addition(row, "LDG.STRONG.SYS 1, STG.STRONG.SYS 1");
    return op == "plain_read" ? "LDG.STRONG.SYS 1" : "STG.STRONG.SYS 1";
  case family::critical:
    return critical(row, g);
  case family::handoff:
    return handoff(row.form.scope);
  case family::control:
    if (op == "control_fadd") return "FADD 1";
    if (op == "control_aa") return "nothing";
    if (op.starts_with("control_multiply_"))
      return multiplies(row.type.value_or(value_type::int32), op.substr(op.rfind('_') + 1));
    return {};
  default:
    return {};
  }
}

}  // namespace

nlohmann::json declared_instructions(const measurable& row) {
  return declared_sass({.hopper = sass(row, generation::hopper),
                        .before = sass(row, generation::before_hopper),
                        .behind = sass(row, generation::behind_hopper)});
}

nlohmann::json declared_sass(const sass_text& text) {
  auto declared = nlohmann::json::object();
  if (text.hopper.empty()) return declared;
  declared["sass"] = text.hopper;
  std::vector<std::string> all = architectures();
  for (const int known : known_architectures) all.push_back(fmt::format("sm_{}", known));
  for (const std::string& architecture : all) {
    const int number = std::atoi(architecture.substr(architecture.find('_') + 1).c_str());
    const std::string& own = number < 90 ? text.before : number > 90 ? text.behind : text.hopper;
    std::string here = on_architecture(own.empty() ? text.hopper : own, number);
    if (here != text.hopper) declared[architecture] = std::move(here);
  }
  return declared;
}

}  // namespace syncmeter::cuda
