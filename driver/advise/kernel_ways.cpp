#include "driver/advise/kernel_ways.hpp"

#include <array>
#include <cstdint>

#include "driver/advise/kernel_prices.hpp"

namespace syncmeter {
namespace {

using maybe = std::optional<interval>;

maybe longer_of(const maybe& a, const maybe& b) {
  if (!a || !b) return std::nullopt;
  return a->value < b->value ? b : a;
}

maybe sum_of(const maybe& a, const maybe& b) {
  if (!a || !b) return std::nullopt;
  return interval{.value = a->value + b->value, .low = a->low + b->low, .high = a->high + b->high};
}

/// Of so many that take so many ns each.
maybe seconds_of(const maybe& ns, double number) {
  if (!ns) return std::nullopt;
  const double factor = number * 1e-9;
  return interval{.value = ns->value * factor, .low = ns->low * factor, .high = ns->high * factor};
}

/// Of the kernel's updates, in s.
struct priced_updates {
  const kernel_use& kernel;
  const update_use& update;
  const std::vector<price>& prices;

  [[nodiscard]] double number() const { return static_cast<double>(kernel.updates); }
  [[nodiscard]] double addresses() const { return static_cast<double>(kernel.addresses); }
  /// Where one thread of a warp does it for all with its address.
  [[nodiscard]] double number_by_warp() const { return number() / threads_alike(update); }
  [[nodiscard]] double as_alike() const { return addresses_as_alike(update, kernel.addresses); }
  [[nodiscard]] maybe by(std::string_view op, double updates, double of_addresses) const {
    return seconds_of(price_of_add(op, of_addresses, prices), updates);
  }
  [[nodiscard]] maybe by_copy(std::string_view op, double updates, double of_addresses) const {
    return seconds_of(price_of_add(op, of_addresses, prices, lanes_of_copy(kernel)), updates);
  }
  [[nodiscard]] maybe one_by_one(std::uint64_t updates) const {
    return seconds_of(price_of_hot_add(update, prices), static_cast<double>(updates));
  }
  /// One thread of a warp adds up what those with its address have.
  [[nodiscard]] maybe matched() const { return by_copy(match_op(), number(), as_alike()); }
  /// Each block adds its copy to the cells. Of a kernel whose updates were counted in part all
  /// blocks are known, and those that made the counted ones are not.
  [[nodiscard]] maybe copied() const {
    if (kernel.is_at_least()) return std::nullopt;
    const double copies = static_cast<double>(kernel.blocks) * addresses();
    return longer_of(one_by_one(kernel.blocks),
                     seconds_of(price_of_own_add(op_of_update(update), prices), copies));
  }
};

maybe takes_by_warp(const priced_updates& of) {
  if (threads_alike(of.update) < several_alike) return std::nullopt;
  const maybe adds = longer_of(of.one_by_one(of.kernel.hottest_warps),
                               of.by(op_of_update(of.update), of.number_by_warp(), of.addresses()));
  return longer_of(adds, of.matched());
}

maybe takes_by_block(const priced_updates& of) {
  if (of.kernel.addresses > most_in_shared_memory) return std::nullopt;
  const std::string_view op = block_op_of(of.update);
  // Those of a warp with one address go one after another.
  const maybe adds = longer_of(of.by_copy(op, of.number(), of.as_alike()),
                               of.by_copy(op, static_cast<double>(of.kernel.hottest), 1));
  return sum_of(adds, of.copied());
}

maybe takes_by_both(const priced_updates& of) {
  if (of.kernel.addresses > most_in_shared_memory || threads_alike(of.update) < several_alike)
    return std::nullopt;
  const maybe adds = of.by_copy(block_op_of(of.update), of.number_by_warp(), of.addresses());
  return sum_of(longer_of(adds, of.matched()), of.copied());
}

struct named_way {
  std::string_view name, change;
  maybe (*takes)(const priced_updates&);
};
constexpr std::array<named_way, 3> ways{
    {{"warp",
      "Let one thread of a warp add for all that update its address (cooperative_groups::reduce, "
      "or __match_any_sync where addresses differ).",
      &takes_by_warp},
     {"block",
      "Let each block add in its shared memory (privatize), and its threads once at the end to the "
      "GPU's, if no other block reads the addresses before.",
      &takes_by_block},
     {"both",
      "Let one thread of a warp add for all that update its address (cooperative_groups::reduce, "
      "or __match_any_sync where addresses differ), to a copy of its block's in shared memory "
      "(privatize), which is added once at the end to the GPU's, if no other block reads the "
      "addresses before.",
      &takes_by_both}}};

}  // namespace

std::optional<way_to_update> fastest_way(const kernel_use& kernel,
                                         const std::vector<price>& prices) {
  const update_use* const update = main_update(kernel);
  if (update == nullptr || kernel.updates == 0 || !is_add(*update)) return std::nullopt;
  const priced_updates of{.kernel = kernel, .update = *update, .prices = prices};
  std::optional<way_to_update> fastest;
  for (const named_way& each : ways) {
    const maybe takes_s = each.takes(of);
    if (takes_s && (!fastest || takes_s->value < fastest->takes_s.value))
      fastest = way_to_update{.name = each.name, .change = each.change, .takes_s = *takes_s};
  }
  return fastest;
}

}  // namespace syncmeter
