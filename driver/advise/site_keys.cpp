#include "driver/advise/site_keys.hpp"

#include <algorithm>

namespace syncmeter {
namespace {

/// Runtimes make calls of their own; what they create for the program is a finding, but for threads
/// of CUPTI, which the probe has started.
bool is_of_program(const module_range& module, std::uint32_t kind) {
  return module.block.runtime == 0 || (kind == static_cast<std::uint32_t>(probe::kind::create) &&
                                       !probe::is_file_named(module.path.c_str(), {"libcupti."}));
}

const module_range* module_of(const std::vector<module_range>& modules, std::uint64_t address) {
  const auto found = std::ranges::find_if(modules, [&](const module_range& m) {
    return address >= m.block.first && address < m.block.end;
  });
  return found == modules.end() ? nullptr : &*found;
}

}  // namespace

bool has_lock(std::uint32_t kind) {
  return !kinds_of_calls[kind].lock.empty() ||
         static_cast<probe::kind>(kind) == probe::kind::signal;
}

std::optional<site_key> key_of(const process_names& names, std::uint64_t address,
                               std::uint32_t kind, std::uint32_t team, std::uint64_t object) {
  std::optional<kokkos_label> label;
  if (const auto known = names.labels.find(object); known != names.labels.end() && !has_lock(kind))
    label = known->second;
  const module_range* const module = module_of(names.modules, address);
  if (module == nullptr) return site_key{kind, "", address - 1, team, label};
  if (!is_of_program(*module, kind)) return std::nullopt;
  return site_key{kind, module->path, address - 1 - module->block.base, team, label};
}

void place_labels(process_names& names) {
  constexpr std::ptrdiff_t most_of_place = 16;
  for (auto& [number, label] : names.labels)
    if (const module_range* const module = module_of(names.modules, label.offset)) {
      label.module = module->path;
      label.offset -= module->block.base + 1;
    }
  std::map<std::pair<std::string, std::uint64_t>, std::ptrdiff_t> of_place;
  for (const auto& [number, label] : names.labels) ++of_place[{label.module, label.offset}];
  for (auto& [number, label] : names.labels)
    if (of_place[{label.module, label.offset}] > most_of_place) label.text.clear();
}

places_of_barriers places_in(const std::vector<probe::times_block>& times,
                             const process_names& names) {
  places_of_barriers places;
  for (const probe::times_block& block : times) {
    if (block.met_at == 0) continue;
    const auto here = key_of(names, block.address, block.kind, block.row_team, block.object);
    const auto first = key_of(names, block.met_at, block.kind, block.row_team, block.object);
    if (here && first) places.join(*here, *first);
  }
  return places;
}

}  // namespace syncmeter
