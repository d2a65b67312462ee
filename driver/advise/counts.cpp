#include "driver/advise/counts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "driver/census/tools/disassembler.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/parse_axes.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr std::array kind_names{
#define SM_KIND(name) #name,
#include "probe/kinds.def"
};

/// Bytes of a file as objects, as far as they go.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T> [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::string text(std::uint64_t first, std::uint64_t end) const {
    const std::string_view whole = bytes_.substr(0, end);
    return first >= whole.size()
               ? ""
               : std::string(whole.substr(first, whole.find('\0', first) - first));
  }

 private:
  std::string_view bytes_;
};

struct module_range {
  probe::module_block block;
  std::string path;
};

struct row_of_thread {
  probe::row row;
  std::uint32_t thread;
};

/// One site's intervals while files are read.
struct times_sums {
  site_times times;
  std::array<std::uint64_t, std::size(probe::interval_sums{}.buckets)> lateness{}, mechanism{};
};

using site_key = std::tuple<std::uint32_t, std::string, std::uint64_t, std::uint32_t>;
struct site_sums {
  std::uint64_t count = 0;
  unsigned threads = 0;
  std::optional<times_sums> times{};
  std::map<std::uint64_t, lock_use> locks{};
};

/// The number of a lock among those of all processes; 0 of none.
std::uint64_t lock_of(std::uint64_t object, unsigned process) {
  return object == 0 ? 0 : std::uint64_t{process} << 32U | object;
}

/// Runtimes make calls of their own; what they create for the program is a finding.
bool is_of_program(const module_range& module, std::uint32_t kind) {
  return module.block.runtime == 0 || kind == static_cast<std::uint32_t>(probe::kind::create);
}

/// The site of an address that a call returns to; nothing where a runtime called for itself.
std::optional<site_key> key_of(const std::vector<module_range>& modules, std::uint64_t address,
                               std::uint32_t kind, std::uint32_t team) {
  const auto module = std::ranges::find_if(modules, [&](const module_range& m) {
    return address >= m.block.first && address < m.block.end;
  });
  if (module == modules.end()) return site_key{kind, "", address - 1, team};
  if (!is_of_program(*module, kind)) return std::nullopt;
  return site_key{kind, module->path, address - 1 - module->block.base, team};
}

void add_rows(const std::vector<row_of_thread>& rows, const std::vector<module_range>& modules,
              unsigned process, std::map<site_key, site_sums>& sums) {
  std::map<site_key, std::set<std::uint32_t>> threads;
  for (const auto& [row, thread] : rows) {
    const auto key = key_of(modules, row.address, row.kind, row.team);
    if (!key) continue;
    sums[*key].count += row.count;
    if (row.object != 0) sums[*key].locks[lock_of(row.object, process)].count += row.count;
    threads[*key].insert(thread);
  }
  for (const auto& [key, of_site] : threads)
    sums[key].threads += static_cast<unsigned>(of_site.size());
}

void add_intervals(const probe::interval_sums& from, interval_times& to, auto& buckets) {
  to.sum_ns += static_cast<double>(from.sum_ns);
  to.long_ns += static_cast<double>(from.long_ns);
  for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += from.buckets[i];
}

void add_times(const probe::times_block& block, site_sums& to) {
  if (!to.times) to.times.emplace();
  auto& [times, lateness, mechanism] = *to.times;
  times.timed += block.timed;
  times.every = block.every;
  times.threads = static_cast<unsigned>(block.threads);
  times.fork_ns += static_cast<double>(block.fork_ns);
  times.inside_ns += static_cast<double>(block.inside_ns);
  times.same_processor += block.same_processor;
  times.under_lock += block.under_lock;
  add_intervals(block.lateness, times.lateness, lateness);
  add_intervals(block.mechanism, times.mechanism, mechanism);
}

/// The middle of the bucket in which this share of the intervals ends.
double quantile_of(const auto& buckets, double share) {
  double all = 0, below = 0;
  for (const std::uint64_t in_bucket : buckets) all += static_cast<double>(in_bucket);
  for (std::uint32_t i = 0; i < std::size(buckets); ++i) {
    below += static_cast<double>(buckets[i]);
    if (below >= share * all && all > 0)
      return static_cast<double>(probe::bucket_start(i) + probe::bucket_start(i + 1)) / 2;
  }
  return 0;
}

void add_lock_times(const probe::times_block& block, double waits_from_ns, lock_use& to) {
  const double held_ns = quantile_of(block.hold.buckets, 0.1);
  to.short_hold_ns = to.timed == 0 ? held_ns : std::min(to.short_hold_ns, held_ns);
  to.timed += block.timed;
  to.hold_ns += static_cast<double>(block.hold.sum_ns);
  // What a wait for a signal waits for is not the lock alone; behind it the lock is held.
  if (block.kind == static_cast<std::uint32_t>(probe::kind::cond_wait)) {
    return;
  }
  to.wait_ns += static_cast<double>(block.mechanism.sum_ns);
  to.section_ns += static_cast<double>(block.lateness.sum_ns);
  for (auto i = probe::bucket_of(static_cast<std::uint64_t>(waits_from_ns));
       i < std::size(block.mechanism.buckets); ++i)
    to.waited += block.mechanism.buckets[i];
}

void add_owners(const byte_reader& file, std::uint64_t at, call_counts& all) {
  const auto block = file.at<probe::objects_block>(at);
  if (!block) return;
  for (std::uint32_t i = 0; i < probe::most_objects; ++i)
    if (block->addresses[i].address != 0)
      all.owners[lock_of(i + 1, all.processes)] = {.followed = block->of[i].followed,
                                                   .changes = block->of[i].owner_changes};
}

std::optional<site_times> times_of(const std::optional<times_sums>& sums) {
  if (!sums) return std::nullopt;
  site_times times = sums->times;
  // One thread of each meeting is the last, and waits for nobody.
  const double last = 1.0 / std::max(1U, times.threads);
  times.lateness.median_ns = quantile_of(sums->lateness, last + (1 - last) / 2);
  times.mechanism.median_ns = quantile_of(sums->mechanism, 0.5);
  return times;
}

void add_file(std::string_view bytes, double waits_from_ns, call_counts& all,
              std::map<site_key, site_sums>& sums) {
  const byte_reader file(bytes);
  const auto header = file.at<probe::file_header>(0);
  if (!header || std::memcmp(header->magic, probe::magic, sizeof probe::magic) != 0) return;
  ++all.processes;
  all.lost_calls += header->lost_calls;
  const std::string program =
      file.text(offsetof(probe::file_header, program), sizeof(probe::file_header));
  std::vector<module_range> modules;
  std::vector<row_of_thread> rows;
  std::vector<probe::times_block> times;
  for (std::uint64_t at = sizeof(probe::file_header); at < header->used_bytes;) {
    const auto head = file.at<probe::block_head>(at);
    if (!head || head->bytes == 0) break;
    const std::uint64_t end = at + head->bytes;
    if (head->type == probe::block_type::module) {
      if (const auto block = file.at<probe::module_block>(at)) {
        const std::string path = file.text(at + sizeof *block, end);
        modules.push_back({*block, path.empty() ? program : path});
      }
    } else if (head->type == probe::block_type::rows) {
      const auto block = file.at<probe::rows_block>(at);
      for (std::uint64_t r = at + sizeof(probe::rows_block); block && r < end;
           r += sizeof(probe::row))
        if (const auto row = file.at<probe::row>(r);
            row && row->address != 0 && row->kind < kind_names.size())
          rows.push_back({*row, block->thread});
    } else if (head->type == probe::block_type::times) {
      const auto block = file.at<probe::times_block>(at);
      if (block && block->timed > 0 && block->every > 0 && block->kind < kind_names.size())
        times.push_back(*block);
    } else if (head->type == probe::block_type::objects) {
      add_owners(file, at, all);
    }
    at = end;
  }
  add_rows(rows, modules, all.processes, sums);
  for (const probe::times_block& block : times)
    if (const auto key = key_of(modules, block.address, block.kind, block.row_team)) {
      site_sums& of = sums[*key];
      add_times(block, of);
      if (block.object != 0)
        add_lock_times(block, waits_from_ns, of.locks[lock_of(block.object, all.processes)]);
    }
}

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
  for (const auto part : {&site_times::lateness, &site_times::mechanism}) {
    (to.*part).sum_ns += (from.*part).sum_ns;
    (to.*part).long_ns += (from.*part).long_ns;
    if (!rarer) (to.*part).median_ns = (from.*part).median_ns;
  }
  to.timed += from.timed;
  to.fork_ns += from.fork_ns;
  to.inside_ns += from.inside_ns;
  to.same_processor += from.same_processor;
  to.under_lock += from.under_lock;
}

void add_use(const lock_use& from, lock_use& to) {
  if (from.timed > 0)
    to.short_hold_ns =
        to.timed == 0 ? from.short_hold_ns : std::min(to.short_hold_ns, from.short_hold_ns);
  to.count += from.count;
  to.timed += from.timed;
  to.hold_ns += from.hold_ns;
  to.waited += from.waited;
  to.wait_ns += from.wait_ns;
  to.section_ns += from.section_ns;
}

/// A compiler may have made several copies of one line of the source: one site all the same.
void join_copies(std::vector<site>& sites) {
  using identity =
      std::tuple<std::string, unsigned, std::string, std::string, std::vector<source_frame>>;
  std::vector<site> joined;
  std::map<identity, std::size_t> known;
  for (site& each : sites) {
    const bool has_line = !each.frames.empty() && each.frames.front().line != 0;
    const auto [found, is_new] =
        has_line
            ? known.try_emplace({each.kind, each.team, each.module, each.operation, each.frames},
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
    if (each.samples && same.samples) {
      same.samples->taken += each.samples->taken;
      same.samples->share += each.samples->share;
      same.samples->path_share += each.samples->path_share;
    }
    same.threads = std::max(same.threads, each.threads);
    for (const auto& [lock, use] : each.locks) add_use(use, same.locks[lock]);
  }
  std::ranges::stable_sort(joined, std::ranges::greater{}, &site::count);
  sites = std::move(joined);
}

/// Without a full table of symbols, addr2line names the exported function before the address, which
/// may be any.
bool has_all_symbols(const std::string& module) {
  const elf_file file(module);
  return std::ranges::any_of(
      file.sections(), [](const Elf64_Shdr& section) { return section.sh_type == SHT_SYMTAB; });
}

bool is_system_header(const source_frame& frame) {
  return frame.file.empty() || frame.file.starts_with("/usr/include/") ||
         frame.file.starts_with("/usr/lib/") || frame.file.starts_with("/usr/local/go/") ||
         frame.file.starts_with("/rustc/") || frame.file.find("/include/c++/") != std::string::npos;
}

}  // namespace

call_counts read_counts(const std::string& folder, double waits_from_ns) {
  call_counts all;
  std::map<site_key, site_sums> sums;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == probe::file_suffix)
      add_file(read_file(entry.path()).bytes, waits_from_ns, all, sums);
  for (const auto& [key, sum] : sums) {
    if (sum.count == 0) continue;
    const auto& [kind, module, offset, team] = key;
    all.sites.push_back({.kind = kind_names[kind],
                         .module = module,
                         .offset = offset,
                         .team = team,
                         .count = sum.count,
                         .threads = sum.threads,
                         .times = times_of(sum.times),
                         .locks = sum.locks});
  }
  std::ranges::stable_sort(all.sites, std::ranges::greater{}, &site::count);
  return all;
}

std::string find_source_lines(std::vector<site>& sites) {
  std::map<std::string, std::vector<site*>> by_module;
  for (site& each : sites)
    if (!each.module.empty()) by_module[each.module].push_back(&each);
  std::string problem;
  for (auto& [module, of_module] : by_module) {
    std::vector<std::uint64_t> offsets;
    for (const site* each : of_module) offsets.push_back(each->offset);
    try {
      auto frames = ask_addr2line(module, offsets);
      if (!has_all_symbols(module))
        for (auto& of_address : frames)
          for (source_frame& frame : of_address)
            if (frame.file.empty()) frame.function.clear();
      for (std::size_t i = 0; i < std::min(frames.size(), of_module.size()); ++i)
        of_module[i]->frames = frames[i];
    } catch (const disassembly_error& error) {
      problem =
          fmt::format("Sites of {} are shown without function and line: {}.", module, error.what());
    }
  }
  join_copies(sites);
  return problem;
}

std::optional<site_cost> cost_of(const site& of) {
  if (!of.times || of.times->timed == 0 || of.kind == "signal") return std::nullopt;
  const site_times& times = *of.times;
  constexpr double s = 1e-9;
  const double threads = std::max(1U, times.threads);
  // A region is timed once for all its threads; of a barrier each thread times its own part.
  const bool region = of.kind == "region";
  const double events = static_cast<double>(times.timed) / (region ? 1 : threads);
  const double each = static_cast<double>(of.count) / events * s;
  if (times.threads == 0) {
    const double of_thread = each / std::max(1U, of.threads);
    return site_cost{.lateness_s = times.lateness.sum_ns * of_thread,
                     .mechanism_s = times.mechanism.sum_ns * of_thread};
  }
  return site_cost{.lateness_s = times.lateness.sum_ns * each / threads,
                   .mechanism_s = region ? (times.mechanism.sum_ns + times.fork_ns / threads) * each
                                         : times.mechanism.sum_ns * each / threads};
}

double same_processor_share(const site& of) {
  // A region is timed once for all its threads.
  const double arrivals =
      static_cast<double>(of.times->timed) * (of.kind == "region" ? of.times->threads : 1);
  return arrivals == 0 ? 0 : static_cast<double>(of.times->same_processor) / arrivals;
}

std::string grouped_digits(std::uint64_t number) {
  std::string text = fmt::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

const source_frame* frame_to_show(const site& of) {
  const auto shown = std::ranges::find_if_not(of.frames, is_system_header);
  return shown == of.frames.end() ? nullptr : &*shown;
}

std::string where_text(const site& of) {
  if (const source_frame* const shown = frame_to_show(of))
    return fmt::format("{} {}:{}", shown->function.empty() ? "?" : shown->function,
                       fs::path(shown->file).filename().string(), shown->line);
  const std::string module = fs::path(of.module).filename();
  const bool named = !of.frames.empty() && !of.frames.front().function.empty();
  const std::string place = fmt::format("{}+{:#x}", module.empty() ? "?" : module, of.offset);
  return named ? fmt::format("{} {}", of.frames.front().function, place) : place;
}

}  // namespace syncmeter
