#include "driver/advise/device_code.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/advise/source_lines.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/cuda_tools.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// By its opcode: RED and ATOM of global memory, ATOMS of shared memory.
std::string_view kind_of(const instruction& what) {
  const std::string_view opcode =
      std::string_view(what.mnemonic).substr(0, what.mnemonic.find('.'));
  if (is_one_of(opcode, {"RED", "REDG", "REDS", "ATOM", "ATOMG", "ATOMS"})) return "atomic";
  if (is_one_of(opcode, {"MEMBAR", "FENCE"})) return "fence";
  if (is_one_of(opcode, {"BAR", "SYNCS"}) || opcode.starts_with("UCGABAR")) return "barrier";
  return {};
}

/// Of the fences those that stand right before an atomic operation of the same line.
std::vector<const site*> fenced_atomics(const std::vector<site>& sites) {
  std::vector<const site*> found;
  for (std::size_t i = 0; i + 1 < sites.size(); ++i)
    if (has_word(sites[i], "SC") && sites[i].kind == "fence" && sites[i + 1].kind == "atomic" &&
        frame_to_show(sites[i]) != nullptr && where_text(sites[i]) == where_text(sites[i + 1]))
      found.push_back(&sites[i + 1]);
  return found;
}

}  // namespace

std::string kernel_name(std::string_view symbol) {
  constexpr std::string_view unnamed = "(anonymous namespace)";
  const std::string plain = demangled(symbol);
  std::string name;
  int inside = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (c == '<') ++inside;
    if (inside == 0 && c == '(') {
      if (!std::string_view(plain).substr(i).starts_with(unnamed)) break;
      name += unnamed;
      i += unnamed.size() - 1;
    } else if (inside == 0) {
      if (c == ' ') name.clear();
      else name += c;
    }
    if (c == '>') --inside;
  }
  return name.empty() ? plain : name;
}

bool has_word(const site& of, std::string_view word) {
  const std::vector<std::string_view> words = split(of.operation, '.');
  return std::ranges::find(words, word) != words.end();
}

bool is_compare_and_swap(const site& of) { return has_word(of, "CAS") || has_word(of, "CAST"); }

std::string places_of(const std::vector<const site*>& sites) {
  constexpr std::size_t named = 2;
  std::vector<std::string> places;
  for (const site* each : sites)
    if (std::string place = where_text(*each); std::ranges::find(places, place) == places.end())
      places.push_back(std::move(place));
  const std::size_t more = places.size() - std::min(places.size(), named);
  places.resize(places.size() - more);
  return fmt::format("{}{}", fmt::join(places, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

void device_code_reader::add_source(std::string_view line) {
  // //## File "PATH", line 12 inlined at "PATH", line 30
  if (frames_are_used_) frames_.clear();
  frames_are_used_ = false;
  const auto opening = line.find('"');
  const auto closing = line.find('"', opening + 1);
  constexpr std::string_view before_line = "\", line ";
  if (closing == line.npos || line.substr(closing, before_line.size()) != before_line) return;
  source_frame frame{.function = kernel_, .file = {}};
  const std::string_view number = line.substr(closing + before_line.size());
  std::from_chars(number.data(), number.data() + number.size(), frame.line);
  frame.file =
      std::filesystem::path(line.substr(opening + 1, closing - opening - 1)).lexically_normal();
  frames_.push_back(std::move(frame));
}

/// A branch goes back to this place.
void device_code_reader::close_loop(std::size_t first_site, std::size_t first_instruction) {
  constexpr std::size_t longest_spin = 12, behind_update = 24;
  const auto length = static_cast<unsigned>(opcodes_.size() - first_instruction);
  const std::span body = std::span(opcodes_).subspan(first_instruction);
  const auto has = [&](const auto& is) { return std::ranges::any_of(body, is); };
  const bool waits = has([](const std::string& opcode) { return opcode.starts_with("BAR."); });
  for (std::size_t i = first_site; i < sites_.size(); ++i) {
    sites_[i].in_loop = true;
    kernel_code& code = *sites_[i].code;
    if (code.loop != 0 && code.loop <= length) continue;
    code.loop = length;
    code.loop_waits = waits;
  }
  // A load that others' stores change, and nothing else of memory.
  const bool spins = length <= longest_spin && first_site == sites_.size() &&
                     has([](const std::string& opcode) {
                       return opcode.starts_with("LD") && opcode.find(".STRONG") != opcode.npos;
                     }) &&
                     !has([](const std::string& opcode) { return opcode.starts_with("ST"); });
  if (!spins || first_site == first_of_kernel_) return;
  site& last = sites_[first_site - 1];
  if (last.kind == "atomic" && first_instruction - last.code->instructions <= behind_update)
    last.code->is_before_spin = true;
}

void device_code_reader::end_kernel() {
  for (; first_of_kernel_ < sites_.size(); ++first_of_kernel_)
    sites_[first_of_kernel_].code->instructions = static_cast<unsigned>(opcodes_.size());
  opcodes_.clear();
  labels_.clear();
}

void device_code_reader::add_instruction(std::string_view line, std::string_view architecture) {
  const auto parsed = parse_sass_instruction(line);
  if (!parsed) return;
  frames_are_used_ = true;
  opcodes_.push_back(parsed->mnemonic);
  constexpr std::string_view to_label = "`(";
  if (const auto label = parsed->operands.find(to_label);
      label != std::string::npos && parsed->mnemonic.starts_with("BRA")) {
    const std::string_view name =
        std::string_view(parsed->operands).substr(label + to_label.size());
    const auto back = labels_.find(name.substr(0, name.find(')')));
    if (back != labels_.end()) close_loop(back->second.sites, back->second.instructions);
  }
  const std::string_view kind = kind_of(*parsed);
  if (kind.empty() || parsed->prefixes == "@!PT") return;
  site here{.kind = std::string(kind), .module = path_, .offset = parsed->address};
  here.operation = parsed->mnemonic;
  here.architecture = architecture;
  // Until the kernel has ended, the number of those before it.
  here.code =
      kernel_code{.symbol = symbol_, .instructions = static_cast<unsigned>(opcodes_.size())};
  here.frames = frames_;
  if (frames_.empty()) here.frames.emplace_back().function = kernel_;
  sites_.push_back(std::move(here));
}

void device_code_reader::add_line(std::string_view line, std::string_view architecture) {
  constexpr std::string_view section = ".text.";
  const std::string_view text = trimmed(line);
  if (text.starts_with("//## File")) {
    add_source(text);
  } else if (text.starts_with("/*")) {
    add_instruction(text, architecture);
  } else if (text.starts_with(section) && text.ends_with(':')) {
    end_kernel();
    symbol_ = text.substr(section.size(), text.size() - section.size() - 1);
    kernel_ = kernel_name(symbol_);
    frames_.clear();
  } else if (text.starts_with('.') && text.ends_with(':')) {
    labels_[std::string(text.substr(0, text.size() - 1))] = {sites_.size(), opcodes_.size()};
  }
}

device_code device_code_of(const std::string& path) {
  device_code found;
  elf_file file(path);
  const std::string names = file.names_of_sections();
  const bool has_any = std::ranges::any_of(file.sections(), [&](const Elf64_Shdr& section) {
    return name_at(names, section.sh_name) == ".nv_fatbin";
  });
  if (!has_any) return found;
  device_code_reader reader(path);
  std::vector<std::string> architectures;
  try {
    architectures =
        print_newest_sass(path, [&](std::string_view line, std::string_view architecture) {
          reader.add_line(line, architecture);
        });
  } catch (const disassembly_error& error) {
    found.notes.push_back(
        fmt::format("It has code for GPUs, which cannot be shown: {}.", error.what()));
    return found;
  }
  found.sites = reader.finish();
  found.notes.push_back(
      architectures.empty()
          ? "It has code for a GPU, but no machine code of one: the driver compiles it when it is "
            "loaded, and what that will be is not known."
          : fmt::format("Its code for GPUs is of {}{}.", fmt::join(architectures, ", "),
                        architectures.size() == 1
                            ? std::string()
                            : fmt::format("; shown is that of {}", architectures.back())));
  return found;
}

std::string device_codes::name_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string();
}

const device_code& device_codes::of(const std::string& path) {
  const std::string name = name_of(path);
  const auto known = read_.find(name);
  return known != read_.end() ? known->second
                              : read_.emplace(name, device_code_of(path)).first->second;
}

std::vector<std::string> sentences_on_device_code(const std::vector<site>& sites) {
  std::vector<const site*> system, loops;
  for (const site& each : sites) {
    if (each.architecture.empty()) continue;
    if (each.kind != "barrier" && has_word(each, "SYS")) system.push_back(&each);
    if (each.kind == "atomic" && is_compare_and_swap(each) && each.in_loop) loops.push_back(&each);
  }
  const std::vector<const site*> fenced = fenced_atomics(sites);
  std::vector<std::string> all;
  if (!system.empty())
    all.push_back(
        fmt::format("{} of the GPU at system scope (SYS), {}: device scope is enough where neither "
                    "the host nor "
                    "another GPU meets them there (cuda::thread_scope_device, __threadfence()).",
                    count_text(system.size(), "operation", "operations"), places_of(system)));
  if (!fenced.empty())
    all.push_back(fmt::format(
        "{} of the GPU with a fence before it, {}: sequentially consistent, as cuda::atomic is "
        "unless it is given an order; cuda::memory_order_relaxed has none, and is enough where no "
        "other data go with it, as with a counter.",
        count_text(fenced.size(), "atomic operation", "atomic operations"), places_of(fenced)));
  if (!loops.empty())
    all.push_back(fmt::format(
        "{} of the GPU in a loop, {}: where it tries again until no other thread came between, an "
        "operation that the GPU has (add, min, max, and, or, exchange; in shared memory of 32 "
        "bits) "
        "needs no loop.",
        count_text(loops.size(), "compare-and-swap", "compare-and-swaps"), places_of(loops)));
  if (!all.empty())
    all.emplace_back("What each form costs on a GPU: syncmeter run --study defaults, and --study "
                     "atomics.");
  return all;
}

}  // namespace syncmeter
