#include "driver/advise/kernel_counts.hpp"

#include <algorithm>
#include <cstring>

#include "probe/device_counts.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

template <class T> std::optional<T> part_of(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

update_use update_of(const probe::kernel_instruction& from, bool in_shared_memory) {
  return {.offset = from.offset,
          .in_shared_memory = in_shared_memory,
          .updates = from.threads,
          .warp_addresses = from.parts,
          .addresses = from.cells,
          .hottest = from.hottest,
          .hottest_warps = from.hottest_warps,
          .uncounted = from.uncounted};
}

void add_instruction(const probe::kernel_instruction& from, kernel_use& to) {
  constexpr double parts_of_barrier = 4294967296.0;
  switch (static_cast<probe::counted_event>(from.event)) {
  case probe::counted_event::update:
  case probe::counted_event::shared_update:
    to.by_instruction.push_back(update_of(
        from, from.event == static_cast<std::uint32_t>(probe::counted_event::shared_update)));
    if (from.uncounted > 0) to.has_lost = true;
    break;
  case probe::counted_event::barrier:
    to.barriers += static_cast<double>(from.parts) / parts_of_barrier;
    break;
  case probe::counted_event::cluster_wait:
    to.cluster_waits += from.threads;
    break;
  case probe::counted_event::object_wait:
    to.object_waits += from.threads;
    break;
  case probe::counted_event::none:
    break;
  }
}

}  // namespace

std::optional<kernel_use> kernel_of_block(std::string_view bytes) {
  const auto head = part_of<probe::kernel_block>(bytes, 0);
  if (!head || head->instructions > probe::most_instructions) return std::nullopt;
  kernel_use kernel{.name = {},
                    .launches = head->launches,
                    .blocks = head->blocks,
                    .block_threads = head->threads,
                    .updates = head->updates,
                    .addresses = head->cells,
                    .hottest = head->hottest,
                    .hottest_warps = head->hottest_warps,
                    .counted_launches = head->counted_launches,
                    .counted_blocks = head->counted_blocks,
                    .is_cut_off = head->is_cut_off != 0,
                    .has_lost = head->lost > 0};
  std::uint64_t at = sizeof(probe::kernel_block);
  for (std::uint64_t i = 0; i < head->instructions; ++i) {
    const auto instruction = part_of<probe::kernel_instruction>(bytes, at);
    if (!instruction) return std::nullopt;
    add_instruction(*instruction, kernel);
    at += sizeof *instruction;
  }
  if (at > bytes.size()) return std::nullopt;
  kernel.name = bytes.substr(at, bytes.substr(at).find('\0'));
  std::ranges::sort(kernel.by_instruction, {}, &update_use::offset);
  return kernel;
}

bool has_whole_launches(const kernel_use& of) {
  return of.is_cut_off && !of.has_lost && of.counted_blocks > 0;
}

double barriers_of_launches(const kernel_use& of) {
  if (!has_whole_launches(of)) return of.barriers;
  if (of.barriers_of_all > 0) return of.barriers_of_all;
  return of.barriers * static_cast<double>(of.blocks) / static_cast<double>(of.counted_blocks);
}

std::uint64_t shared_updates(const kernel_use& of) {
  std::uint64_t sum = 0;
  for (const update_use& each : of.by_instruction)
    if (each.in_shared_memory) sum += each.updates;
  return sum;
}

void add_kernel(const kernel_use& from, kernel_use& to) {
  // One may be counted wholly: what the other's launches have is no measure of its own.
  to.barriers_of_all = barriers_of_launches(from) + barriers_of_launches(to);
  to.launches += from.launches;
  to.blocks += from.blocks;
  to.updates += from.updates;
  to.addresses += from.addresses;
  to.hottest = std::max(to.hottest, from.hottest);
  to.hottest_warps = std::max(to.hottest_warps, from.hottest_warps);
  to.barriers += from.barriers;
  // Where it is not known of one of them, it is of none.
  const bool known = from.counted_blocks > 0 && to.counted_blocks > 0;
  to.counted_launches = known ? to.counted_launches + from.counted_launches : 0;
  to.counted_blocks = known ? to.counted_blocks + from.counted_blocks : 0;
  to.cluster_waits += from.cluster_waits;
  to.object_waits += from.object_waits;
  to.is_cut_off |= from.is_cut_off;
  to.has_lost |= from.has_lost;
  for (const update_use& each : from.by_instruction) {
    const auto same = std::ranges::find_if(to.by_instruction, [&](const update_use& other) {
      return other.offset == each.offset && other.in_shared_memory == each.in_shared_memory;
    });
    if (same == to.by_instruction.end()) {
      to.by_instruction.push_back(each);
      continue;
    }
    same->updates += each.updates;
    same->warp_addresses += each.warp_addresses;
    same->addresses += each.addresses;
    same->hottest = std::max(same->hottest, each.hottest);
    same->hottest_warps = std::max(same->hottest_warps, each.hottest_warps);
    same->uncounted += each.uncounted;
  }
}

}  // namespace syncmeter
