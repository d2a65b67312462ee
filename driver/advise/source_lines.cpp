#include "driver/advise/source_lines.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "driver/advise/site_costs.hpp"
#include "driver/census/tools/disassembler.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

/// addr2line's "FUNCTION" and "FILE:LINE (discriminator 2)".
source_frame parse_frame(const std::string& function, std::string_view place) {
  source_frame frame{.function = function == "??" ? "" : function, .file = {}};
  place = place.substr(0, place.find(" (discriminator"));
  const auto colon = place.rfind(':');
  if (colon == std::string_view::npos || place.starts_with("??")) return frame;
  // clang++ has ".." in the paths of its headers.
  frame.file = fs::path(place.substr(0, colon)).lexically_normal();
  unsigned line = 0;
  for (const char digit : place.substr(colon + 1))
    if (digit >= '0' && digit <= '9') line = line * 10 + static_cast<unsigned>(digit - '0');
  frame.line = line;
  // No line: the file is that of the module, or of what the compiler added.
  if (line == 0) frame.file.clear();
  return frame;
}

/// The frames of each address of one module, in the order of the addresses.
std::vector<std::vector<source_frame>> ask_addr2line(const std::string& module,
                                                     const std::vector<std::uint64_t>& offsets) {
  std::vector<std::string> words{"addr2line", "-a", "-C", "-f", "-i", "-e", module};
  for (const std::uint64_t offset : offsets) words.push_back(fmt::format("{:#x}", offset));
  std::vector<std::vector<source_frame>> frames;
  std::optional<std::string> function;
  read_lines_of({.arguments = words, .path = module, .install = "install binutils"},
                [&](std::string_view line) {
                  // Each address is a line of its own before its frames.
                  if (!function && line.starts_with("0x") && parse_hex(line.substr(2))) {
                    frames.emplace_back();
                  } else if (!function) {
                    function = line;
                  } else {
                    if (!frames.empty()) frames.back().push_back(parse_frame(*function, line));
                    function.reset();
                  }
                });
  return frames;
}

/// Of two medians, that of the copy that was called more often.
void add_copy(const site_times& from, site_times& to) {
  const bool rarer = from.timed <= to.timed;
  for (const auto part : {&site_times::lateness, &site_times::mechanism, &site_times::call,
                          &site_times::held, &site_times::work}) {
    (to.*part).sum_ns += (from.*part).sum_ns;
    (to.*part).long_ns += (from.*part).long_ns;
    if (!rarer) (to.*part).median_ns = (from.*part).median_ns;
  }
  to.timed += from.timed;
  to.fork_ns += from.fork_ns;
  to.inside_ns += from.inside_ns;
  to.same_processor += from.same_processor;
  to.under_lock += from.under_lock;
  to.to_all += from.to_all;
  to.in_vain += from.in_vain;
}

void add_use(const lock_use& from, lock_use& to) {
  if (from.timed > 0)
    to.short_held_ns =
        to.timed == 0 ? from.short_held_ns : std::min(to.short_held_ns, from.short_held_ns);
  to.count += from.count;
  to.timed += from.timed;
  to.held_ns += from.held_ns;
  to.contended += from.contended;
  to.call_ns += from.call_ns;
  to.contended_call_ns += from.contended_call_ns;
  to.every = std::max(to.every, from.every);
}

/// A compiler may have made several copies of one line of the source: one site all the same.
void join_copies(std::vector<site>& sites) {
  using identity = std::tuple<std::string, unsigned, std::string, std::string,
                              std::vector<source_frame>, std::optional<kokkos_label>>;
  std::vector<site> joined;
  std::map<identity, std::size_t> known;
  for (site& each : sites) {
    const bool has_line = !each.frames.empty() && each.frames.front().line != 0;
    const auto [found, is_new] = has_line || !each.architecture.empty()
                                     ? known.try_emplace({each.kind, each.team, each.module,
                                                          each.operation, each.frames, each.label},
                                                         joined.size())
                                     : std::pair{known.end(), true};
    if (is_new) {
      joined.push_back(std::move(each));
      continue;
    }
    site& same = joined[found->second];
    same.count += each.count;
    same.copies += each.copies;
    if (each.times && same.times) add_copy(*each.times, *same.times);
    else if (each.times) same.times = each.times;
    add_cost_of_runs(each.cost_of_runs, same.cost_of_runs);
    if (each.samples && same.samples) {
      same.samples->taken += each.samples->taken;
      same.samples->share += each.samples->share;
      same.samples->path_share += each.samples->path_share;
    }
    // One thread may call one copy, and the others of its team another one.
    std::vector<std::uint64_t> callers;
    std::ranges::set_union(same.callers, each.callers, std::back_inserter(callers));
    same.callers = std::move(callers);
    same.threads =
        std::max({same.threads, each.threads, static_cast<unsigned>(same.callers.size())});
    for (const auto& [lock, use] : each.locks) add_use(use, same.locks[lock]);
    for (const auto& [condition, use] : each.conditions) same.conditions[condition].add(use);
  }
  std::ranges::stable_sort(joined, std::ranges::greater{}, &site::count);
  sites = std::move(joined);
}

bool has_all_symbols(const std::string& module) {
  const elf_file file(module);
  return std::ranges::any_of(
      file.sections(), [](const Elf64_Shdr& section) { return section.sh_type == SHT_SYMTAB; });
}

/// Without a full table of symbols, addr2line names the exported function before the address, which
/// may be any: that name is left where the function's code has the address.
void keep_certain_names(const std::string& module, const std::vector<std::uint64_t>& offsets,
                        std::vector<std::vector<source_frame>>& frames) {
  std::vector<code_range> exported;
  for (const auto& [name, code] : read_elf_symbols(module).functions) exported.push_back(code);
  std::ranges::sort(exported);
  const auto is_certain = [&](std::uint64_t offset) {
    const auto after = std::ranges::upper_bound(exported, offset, {}, &code_range::first);
    return after != exported.begin() && offset - std::prev(after)->first < std::prev(after)->size;
  };
  for (std::size_t i = 0; i < std::min(frames.size(), offsets.size()); ++i)
    for (source_frame& frame : frames[i])
      if (frame.file.empty() && !is_certain(offsets[i])) frame.function.clear();
}

/// By these names wherever its headers are installed, which may be where the system's are.
bool is_header_of_kokkos(const source_frame& frame) {
  const std::string name = fs::path(frame.file).filename();
  return name.starts_with("Kokkos_") || name.starts_with("KokkosExp_") ||
         frame.file.find("/desul/") != std::string::npos;
}

bool is_system_header(const source_frame& frame) {
  if (is_header_of_kokkos(frame)) return false;
  return frame.file.empty() || frame.file.starts_with("/usr/include/") ||
         frame.file.starts_with("/usr/lib/") || frame.file.starts_with("/usr/local/go/") ||
         frame.file.starts_with("/rustc/") ||
         frame.file.find("/include/cccl/") != std::string::npos ||
         frame.file.find("-linux/include/") != std::string::npos ||
         frame.file.find("/include/c++/") != std::string::npos;
}

/// Kokkos is headers, and a library that may be linked into the program.
bool is_of_kokkos(const source_frame& frame) {
  // The end of a loop may have the line of the program's body of it.
  return frame.function.find("Kokkos::Impl::Parallel") != std::string::npos ||
         is_header_of_kokkos(frame);
}

bool is_of_library(const source_frame& frame) {
  return is_system_header(frame) || is_of_kokkos(frame);
}

/// What OpenMP does for a kernel of Kokkos is called in its headers: it is where the program calls
/// them.
void place_in_kernels(std::vector<site>& sites) {
  std::map<std::pair<std::string, std::uint64_t>, const site*> calls;
  for (const site& each : sites)
    if (each.kind.starts_with("kokkos_")) calls[{each.module, each.offset}] = &each;
  for (site& each : sites) {
    if (!each.label || !std::ranges::all_of(each.frames, is_of_library)) continue;
    const auto call = calls.find({each.label->module, each.label->offset});
    if (call != calls.end()) each.frames = call->second->frames;
  }
}

/// A kernel without a name of its own is called by that of its type.
std::string readable_label(const std::string& label) {
  int status = 0;
  char* const name = abi::__cxa_demangle(label.c_str(), nullptr, nullptr, &status);
  std::string readable = status == 0 ? name : label;
  std::free(name);
  return readable;
}

/// Of a list of a template's arguments the first one.
std::string_view first_argument(std::string_view list) {
  int depth = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    const char c = list[at];
    if (depth == 0 && (c == ',' || c == '>')) return list.substr(0, at);
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
  }
  return {};
}

/// What the standard library was passed, to begin a thread with or to call by std::function, where
/// the compiler has put it into the function that calls it. A pointer is no name of a function.
std::string_view passed_to_library(std::string_view name) {
  constexpr std::string_view thread = "std::thread::_State_impl<std::thread::_Invoker<std::tuple<",
                             caller = "std::_Function_handler<";
  std::string_view passed;
  if (name.starts_with(thread)) passed = first_argument(name.substr(thread.size()));
  if (name.starts_with(caller)) {
    const std::string_view list = name.substr(caller.size());
    const std::string_view type = first_argument(list);
    if (list.substr(type.size()).starts_with(", "))
      passed = first_argument(list.substr(type.size() + 2));
  }
  return passed.empty() || passed.find("(*)") != std::string_view::npos ? name : passed;
}

/// A name without a long list of parameters, and which of the compiler's copies it is.
std::string short_name(const std::string& name) {
  constexpr std::size_t long_list = 20;
  std::string_view head = passed_to_library(name);
  head = head.substr(0, head.find(" [clone "));
  if (head.ends_with(" const")) head.remove_suffix(std::strlen(" const"));
  if (!head.ends_with(')')) return std::string(head);
  std::size_t depth = 0, at = head.size();
  while (at > 0) {
    --at;
    if (head[at] == ')') ++depth;
    if (head[at] == '(' && --depth == 0) break;
  }
  return head.size() - at <= long_list ? std::string(head)
                                       : fmt::format("{}(...)", head.substr(0, at));
}

bool has_name(const site& of) {
  return std::ranges::any_of(of.frames, [](const source_frame& f) { return !f.function.empty(); });
}

}  // namespace

std::string unnamed_sites_text(const std::vector<site>& sites, const std::string& problem) {
  if (!problem.empty()) return "";
  // As many as a reader looks at first.
  constexpr std::size_t looked_at = 10;
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < std::min(sites.size(), looked_at); ++i)
    if (!sites[i].module.empty() && !has_name(sites[i])) {
      // A library is loaded by a link, and sampled by its file.
      std::error_code unknown;
      add_once(modules, fs::weakly_canonical(sites[i].module, unknown).filename().string());
    }
  if (modules.empty()) return "";
  return fmt::format("Sites of {} without a name are in functions that have no symbol in the file: "
                     "debug packages (-dbgsym, -debuginfo), or a build with -g, give functions and "
                     "lines.",
                     join(modules, " and "));
}

std::string find_source_lines(std::vector<site>& sites) {
  std::map<std::string, std::vector<site*>> by_module;
  for (site& each : sites)
    if (!each.module.empty() && each.frames.empty()) by_module[each.module].push_back(&each);
  std::string problem;
  for (auto& [module, of_module] : by_module) {
    std::vector<std::uint64_t> offsets;
    for (const site* each : of_module) offsets.push_back(each->offset);
    try {
      auto frames = ask_addr2line(module, offsets);
      if (!has_all_symbols(module)) keep_certain_names(module, offsets, frames);
      for (std::size_t i = 0; i < std::min(frames.size(), of_module.size()); ++i)
        of_module[i]->frames = frames[i];
    } catch (const disassembly_error& error) {
      problem =
          fmt::format("Sites of {} are shown without function and line: {}.", module, error.what());
    }
  }
  place_in_kernels(sites);
  join_copies(sites);
  return problem;
}

const source_frame* frame_to_show(const site& of) {
  auto shown = std::ranges::find_if_not(of.frames, is_of_library);
  if (shown == of.frames.end()) shown = std::ranges::find_if_not(of.frames, is_system_header);
  return shown == of.frames.end() ? nullptr : &*shown;
}

bool is_in_kokkos(const site& of) {
  if (const source_frame* const shown = frame_to_show(of)) return is_of_kokkos(*shown);
  return !of.frames.empty() && of.frames.front().function.starts_with("Kokkos::");
}

namespace {

std::string place_text(const site& of) {
  if (const source_frame* const shown = frame_to_show(of))
    return fmt::format("{} {}:{}", shown->function.empty() ? "?" : short_name(shown->function),
                       fs::path(shown->file).filename().string(), shown->line);
  const bool named = !of.frames.empty() && !of.frames.front().function.empty();
  if (named && !of.architecture.empty()) return of.frames.front().function;
  const std::string module = fs::path(of.module).filename();
  const std::string place = fmt::format("{}+{:#x}", module.empty() ? "?" : module, of.offset);
  return named ? fmt::format("{} {}", short_name(of.frames.front().function), place) : place;
}

/// Such as that of an instance of a space, which Kokkos' headers lock for the program.
bool is_own_lock_of_kokkos(const site& of) {
  const auto caller = std::ranges::find_if_not(of.frames, is_system_header);
  return is_for_lock(of) && caller != of.frames.end() && is_of_kokkos(*caller);
}

}  // namespace

std::string label_text(const site& of) { return of.label ? readable_label(of.label->text) : ""; }

std::string where_text(const site& of) {
  constexpr std::size_t longest = 40;
  const std::string place = place_text(of);
  if (is_own_lock_of_kokkos(of)) return place + " (of Kokkos)";
  if (!of.label || of.label->text.empty()) return place;
  const std::string label = short_name(label_text(of));
  return fmt::format("\"{}{}\" at {}", label.substr(0, longest),
                     label.size() > longest ? "..." : "", place);
}

std::string places_text(std::span<const std::size_t> ids, const std::vector<site>& sites) {
  std::string text = where_text(sites[ids.front() - 1]);
  if (ids.size() > 1)
    text += fmt::format("{}{}", ids.size() > 2 ? ", " : " and ", where_text(sites[ids[1] - 1]));
  if (ids.size() > 2) text += fmt::format(" and {} more", ids.size() - 2);
  return text;
}

}  // namespace syncmeter
