#include "driver/advise/kernel_forms.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/results/estimate.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Of a form that is compiled, and of the narrower one.
enum class form_cause { order, fence, swap, own_barrier };

struct named_cause {
  std::string_view rule, what, change;
};
constexpr std::array<named_cause, 4> causes{
    {{"atomic_order", "atomic operations at system scope, or sequentially consistent",
      "Where neither the host nor another GPU looks at them meanwhile, and no other data go with "
      "them, device scope and relaxed order do (cuda::thread_scope_device, "
      "cuda::memory_order_relaxed, atomicAdd())."},
     {"fence_scope", "fences that the host and other GPUs see",
      "Among the threads of a block __threadfence_block() does, and among those of one GPU "
      "__threadfence()."},
     {"compare_and_swap", "a compare-and-swap that is tried again",
      "Where the loop is to add, or to find a minimum or a maximum, the GPU has an operation that "
      "needs none: floats of one sign compare as integers do (atomicMax on __float_as_int), and "
      "atomicAdd takes float, double and pairs of halves."},
     {"own_barrier", "an atomic operation behind which threads wait for a value",
      "Where all who meet there are of one block, __syncthreads() or cuda::barrier is that."}}};

const named_cause& words_of(form_cause of) { return causes[static_cast<std::size_t>(of)]; }

/// Another thing takes the time of a kernel that has more code than this around it.
bool is_most_of_its_kernel(const kernel_code& code) {
  constexpr unsigned most = 400;
  return code.loop != 0 ? code.loop <= most : code.instructions <= most;
}

/// Whether the fence is the first part of the atomic operation behind it: of the same line, or,
/// where lines are not known, both of system scope.
bool is_order_of(const site& fence, const site& update) {
  constexpr std::uint64_t near_by = 0x80;
  return fence.kind == "fence" && has_word(fence, "SC") && update.kind == "atomic" &&
         fence.code->symbol == update.code->symbol && update.offset > fence.offset &&
         update.offset - fence.offset <= near_by &&
         (frame_to_show(fence) == nullptr ? has_word(fence, "SYS") && has_word(update, "SYS")
                                          : where_text(fence) == where_text(update));
}

/// The sites of one kernel with the same cause, the first one first.
struct finding {
  form_cause of;
  std::vector<std::size_t> sites;  ///< their numbers
  bool is_ordered = false;         ///< with a fence
};

const site* next_in_kernel(const std::vector<site>& sites, const std::vector<std::size_t>& kernel,
                           std::size_t at) {
  return at + 1 < kernel.size() ? &sites[kernel[at + 1]] : nullptr;
}

/// Of a kernel's sites, in the order of its code.
std::vector<finding> findings_in(const std::vector<site>& sites,
                                 const std::vector<std::size_t>& kernel) {
  std::map<form_cause, finding> found;
  const auto add = [&](form_cause what, std::size_t number, bool ordered = false) {
    finding& of = found.try_emplace(what, finding{.of = what, .sites = {}}).first->second;
    of.sites.push_back(number);
    of.is_ordered = of.is_ordered || ordered;
  };
  bool after_fence = false;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const site& of = sites[kernel[i]];
    const site* const next = next_in_kernel(sites, kernel, i);
    const bool begins_update = next != nullptr && is_order_of(of, *next);
    if (of.kind == "atomic" && is_most_of_its_kernel(*of.code)) {
      if (of.code->is_before_spin && !of.code->loop_waits) add(form_cause::own_barrier, kernel[i]);
      else if (is_compare_and_swap(of) && of.in_loop) add(form_cause::swap, kernel[i]);
      else if (has_word(of, "SYS") || after_fence) add(form_cause::order, kernel[i], after_fence);
    }
    if (of.kind == "fence" && has_word(of, "SYS") && !begins_update &&
        is_most_of_its_kernel(*of.code))
      add(form_cause::fence, kernel[i]);
    after_fence = begins_update;
  }
  // The fences of such a barrier go with it.
  if (found.contains(form_cause::own_barrier)) found.erase(form_cause::fence);
  std::vector<finding> all;
  for (auto& [what, of] : found) all.push_back(std::move(of));
  return all;
}

/// By kernel that ran, the numbers of its sites by address.
std::map<std::string, std::vector<std::size_t>> kernels_of(const std::vector<site>& sites) {
  std::map<std::string, std::vector<std::size_t>> kernels;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (sites[i].code && sites[i].code->ran) kernels[sites[i].code->symbol].push_back(i);
  for (auto& [symbol, numbers] : kernels)
    std::ranges::stable_sort(numbers, {}, [&](std::size_t i) { return sites[i].offset; });
  return kernels;
}

value_type type_of(const site& of) {
  if (has_word(of, "F64")) return value_type::float64;
  if (has_word(of, "F32")) return value_type::float32;
  return has_word(of, "64") || has_word(of, "U64") || has_word(of, "S64") ? value_type::uint64
                                                                          : value_type::uint32;
}

point gpu_point(std::string op, const kernel_times& ran) {
  point p;
  p.backend = "cuda";
  p.op = std::move(op);
  p.lanes = static_cast<unsigned>(ran.block_threads);
  p.blocks = static_cast<unsigned>(ran.blocks);
  return p;
}

point form_of_update(std::string op, const kernel_times& ran, value_type type, enum scope among,
                     enum order how, enum flavour spelled) {
  point p = gpu_point(std::move(op), ran);
  p.type = type;
  p.placement = placement::strided;
  p.stride = 1;
  p.scope = among;
  p.order = how;
  p.flavour = spelled;
  p.space = space::global;
  return p;
}

point form_of_fence(const kernel_times& ran, enum scope among) {
  point p = gpu_point("fence", ran);
  p.scope = among;
  p.flavour = flavour::function;
  return p;
}

/// As campaigns name the operation.
std::string op_of_instruction(const site& of) {
  if (of.kind == "fence") return "fence";
  if (of.kind == "barrier") return of.operation.starts_with("BAR.SYNC") ? "barrier" : "";
  if (is_compare_and_swap(of)) return has_word(of, "SPIN") ? "" : "atomic_cas_pass";
  const bool answers = !of.operation.starts_with("RED");
  if (has_word(of, "ADD")) return answers ? "atomic_fetch_add" : "atomic_add";
  if (has_word(of, "EXCH")) return "atomic_exchange";
  for (const auto& [word, op] :
       {std::pair("MAX", "atomic_max_hold"), std::pair("MIN", "atomic_min_hold"),
        std::pair("AND", "atomic_and"), std::pair("OR", "atomic_or"),
        std::pair("XOR", "atomic_xor")})
    if (has_word(of, word)) return op;
  return "";
}

/// As CUDA's own functions are; a fence before it has its own price. The grid is left open.
point plain_form_of(const site& of) {
  const enum scope among = has_word(of, "SYS")   ? scope::system
                           : has_word(of, "CTA") ? scope::block
                                                 : scope::device;
  if (of.kind == "barrier") return gpu_point(op_of_instruction(of), {});
  if (of.kind == "fence") return form_of_fence({}, among);
  point p = form_of_update(op_of_instruction(of), {}, type_of(of), among, order::relaxed,
                           flavour::function);
  if (of.operation.starts_with("ATOMS")) p.space = space::shared_memory;
  return p;
}

/// What a finding costs as compiled, and what the narrower form does.
struct two_forms {
  point compiled, narrower;
};

two_forms forms_of(const finding& found, const std::vector<site>& sites) {
  const site& first = sites[found.sites.front()];
  const kernel_times& ran = *first.code->ran;
  switch (found.of) {
  case form_cause::order:
    // Of any type: campaigns have scopes and orders of int32.
    return {form_of_update("atomic_add", ran, value_type::int32,
                           has_word(first, "SYS") ? scope::system : scope::device,
                           found.is_ordered ? order::seq_cst : order::relaxed, flavour::atomic_ref),
            form_of_update("atomic_add", ran, value_type::int32, scope::device, order::relaxed,
                           flavour::atomic_ref)};
  case form_cause::fence:
    return {form_of_fence(ran, scope::system), form_of_fence(ran, scope::block)};
  case form_cause::swap:
    return {form_of_update("atomic_cas_pass", ran, value_type::uint32, scope::device,
                           order::relaxed, flavour::function),
            form_of_update("atomic_max_hold", ran, value_type::uint32, scope::device,
                           order::relaxed, flavour::function)};
  case form_cause::own_barrier:
    break;
  }
  return {form_of_fence(ran, scope::device), gpu_point("barrier", ran)};
}

/// Blocks that certainly run at once.
void cut_grid(point& p, unsigned multiprocessors) {
  constexpr unsigned threads = 1024;
  p.lanes = std::clamp(p.lanes, 1U, threads);
  p.blocks = std::clamp(p.blocks, 1U, multiprocessors * std::max(1U, threads / p.lanes));
}

/// On the grid that was measured.
struct priced_form {
  point what;
  interval ns;
};

// Of prices on no more blocks than the kernel has, those on most: others are of other kernels.
std::optional<priced_form> price_of_form(const point& wanted, const std::vector<price>& prices) {
  std::vector<price> found;
  std::ranges::copy_if(prices, std::back_inserter(found), [&](const price& each) {
    point here = wanted;
    here.blocks = each.what.blocks;
    here.lanes = std::min(here.lanes, 1024U);
    return each.what == here && each.what.blocks <= wanted.blocks;
  });
  unsigned most = 0;
  for (const price& each : found) most = std::max(most, each.what.blocks);
  std::erase_if(found, [most](const price& each) { return each.what.blocks < most; });
  const auto ns = over_measurements(found);
  if (!ns) return std::nullopt;
  return priced_form{.what = found.front().what, .ns = *ns};
}

std::string form_text(const point& p) {
  const std::string grid = fmt::format("{} x {} threads", p.blocks, p.lanes);
  if (p.op == "barrier") return fmt::format("a barrier of a block ({})", grid);
  const std::string_view among = to_text(p.scope);
  if (p.op == "fence") return fmt::format("a fence at {} scope ({})", among, grid);
  const std::string_view what = p.op == "atomic_add"        ? "an add"
                                : p.op == "atomic_cas_pass" ? "a compare-and-swap"
                                                            : "a maximum";
  return fmt::format("{} at {} scope, {} ({})", what, among, to_text(p.order), grid);
}

std::string price_text(const priced_form& of) {
  return fmt::format("{} takes {}", form_text(of.what),
                     range_text(std::max(0.0, of.ns.low) * 1e-9, of.ns.high * 1e-9));
}

std::optional<advice> advice_on(const finding& found, const std::vector<site>& sites,
                                const advice_setting& setting) {
  constexpr double worth_it = 1.2;
  const auto [compiled, narrower] = forms_of(found, sites);
  const auto now = price_of_form(compiled, setting.prices);
  const auto then = price_of_form(narrower, setting.prices);
  if (!now || !then || now->ns.low < worth_it * then->ns.high) return std::nullopt;
  const kernel_code& code = *sites[found.sites.front()].code;
  const double busy_s = code.ran->busy_s;
  // Of a barrier that is made of several operations not all is priced, nor how often a swap is
  // tried again.
  const bool has_more = found.of == form_cause::own_barrier || found.of == form_cause::swap;
  const double high_s =
      has_more ? busy_s : busy_s * (1 - std::max(0.0, then->ns.low) / now->ns.high);
  const named_cause& words = words_of(found.of);
  std::vector<const site*> of_finding;
  for (const std::size_t i : found.sites) of_finding.push_back(&sites[i]);
  std::string cause = fmt::format(
      "{}: the kernel has {}{}, and takes the GPU {} in {}. {}", places_of(of_finding), words.what,
      code.loop == 0 ? "" : fmt::format(" in a loop of {} instructions", code.loop),
      seconds_text(busy_s), count_text(code.ran->launches, "launch", "launches"), words.change);
  std::vector<std::size_t> ids;
  for (const std::size_t i : found.sites) ids.push_back(i + 1);
  const std::size_t first = ids.front();
  ids.erase(ids.begin());
  return advice{.rule = std::string(words.rule),
                .site_id = first,
                .at_most_s = high_s,
                .text =
                    fmt::format("{} That saves at most {} of it: on this machine {}, and {}.",
                                cause, seconds_text(high_s), price_text(*now), price_text(*then)),
                .cause = cause,
                .kind = "range",
                .more_ids = std::move(ids),
                .of_plain_runs = true};
}

/// Of a file's code for GPUs, in bytes.
std::uint64_t bytes_of_device_code(const std::string& path) {
  elf_file file(path);
  const std::string names = file.names_of_sections();
  std::uint64_t bytes = 0;
  for (const Elf64_Shdr& section : file.sections())
    if (name_at(names, section.sh_name) == ".nv_fatbin") bytes += section.sh_size;
  return bytes;
}

}  // namespace

void add_sites_of_kernels(const std::string& program, double wall_s, device_codes& codes,
                          call_counts& timed, std::vector<std::string>& notes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20U;
  std::map<std::string, kernel_times> wanted;
  for (const kernel_times& each : timed.kernels) {
    auto [known, is_new] = wanted.try_emplace(each.symbol, each);
    if (is_new) continue;
    known->second.launches += each.launches;
    known->second.busy_s += each.busy_s;
  }
  std::erase_if(wanted,
                [&](const auto& each) { return each.second.busy_s < least_worth_saying * wall_s; });
  if (wanted.empty()) return;
  std::set<std::string> files{device_codes::name_of(program)};
  for (const site& each : timed.sites)
    if (each.kind == "kernel_launch" && !each.module.empty())
      files.insert(device_codes::name_of(each.module));
  for (const std::string& path : files) {
    try {
      if (bytes_of_device_code(path) > most_bytes) {
        notes.push_back(fmt::format("{} has more code for GPUs than is read here, and kernels that "
                                    "take time may be of it: --static reads all.",
                                    printable(path)));
        continue;
      }
      const device_code& code = codes.of(path);
      if (code.sites.empty()) std::ranges::copy(code.notes, std::back_inserter(notes));
      for (const site& each : code.sites) {
        const auto ran = wanted.find(each.code->symbol);
        if (ran == wanted.end()) continue;
        timed.sites.push_back(each);
        timed.sites.back().code->ran = ran->second;
      }
    } catch (const disassembly_error& error) {
      notes.push_back(fmt::format("Code for GPUs was not read: {}.", error.what()));
    }
  }
}

void price_instructions(const results_file& file, std::vector<site>& sites) {
  const std::vector<point_summary> points = summarize(file);
  for (site& of : sites) {
    if (!of.code || op_of_instruction(of).empty()) continue;
    point wanted = plain_form_of(of);
    std::uint64_t most = 0;
    for (const point_summary& each : points) {
      const std::uint64_t threads = std::uint64_t{each.what.lanes} * each.what.blocks;
      wanted.lanes = each.what.lanes;
      wanted.blocks = each.what.blocks;
      wanted.type = plain_form_of(of).type;
      // What a sign is makes no difference to an addition or a swap.
      if (wanted.type == value_type::uint32 && each.what.type == value_type::int32)
        wanted.type = value_type::int32;
      if (!each.visited || threads <= most || !(each.what == wanted)) continue;
      most = threads;
      of.code->price_ns = each.cost_ns.value;
      of.code->priced_on = fmt::format("{} x {}", wanted.blocks, wanted.lanes);
    }
  }
}

std::vector<point> points_of_forms(const std::vector<site>& sites, unsigned multiprocessors) {
  std::vector<point> points;
  for (const auto& [symbol, numbers] : kernels_of(sites))
    for (const finding& found : findings_in(sites, numbers)) {
      const two_forms forms = forms_of(found, sites);
      for (point each : {forms.compiled, forms.narrower}) {
        cut_grid(each, multiprocessors);
        if (std::ranges::find(points, each) == points.end()) points.push_back(std::move(each));
      }
    }
  return points;
}

std::vector<advice> advise_on_forms(const std::vector<site>& sites, const advice_setting& setting) {
  std::vector<advice> all;
  for (const auto& [symbol, numbers] : kernels_of(sites))
    for (const finding& found : findings_in(sites, numbers))
      if (auto one = advice_on(found, sites, setting)) all.push_back(*std::move(one));
  return all;
}

}  // namespace syncmeter
