#include "driver/advise/kernel_rules.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/kernel_prices.hpp"
#include "driver/advise/kernel_ways.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// So much of the time of its kernels must an address, or all updates, take.
constexpr double worth_its_time = 0.5;
/// Fewer updates and barriers that take no more than this save little.
constexpr double little_of_its_time = 0.1;
/// Another way must be so much faster.
constexpr double worth_a_change = 1.2;
/// What has a price that is longer than all that the GPU did by more than this was faster than what
/// was measured, as updates are that come in another order.
constexpr double most_beyond = 1.3;

std::string name_of(const kernel_use& of) {
  const update_use* const update = main_update(of);
  return update == nullptr || update->place.empty()
             ? of.name
             : fmt::format("{} ({})", of.name, update->place);
}

/// What the kernels of a site take at least, by one of their floors.
struct floor_of_site {
  double sum_s = 0;
  double value_s = 0;                ///< not at least, but as estimated
  const kernel_use* most = nullptr;  ///< the kernel with the greatest part
  double most_s = 0;
  std::size_t kernels = 0;  ///< that have such a floor
};

floor_of_site floor_of(const site& of, const std::vector<price>& prices,
                       std::optional<interval> kernel_floors::* which) {
  floor_of_site found;
  for (const kernel_use& kernel : of.kernels) {
    const auto takes = floors_of(kernel, prices).*which;
    if (!takes) continue;
    found.sum_s += takes->low;
    found.value_s += takes->value;
    ++found.kernels;
    if (found.most != nullptr && takes->low <= found.most_s) continue;
    found.most = &kernel;
    found.most_s = takes->low;
  }
  return found;
}

/// What its barriers take at least: launches that did not count may have fewer than those that did.
double counted_barriers_s(const site& of, const std::vector<price>& prices) {
  double sum_s = 0;
  for (const kernel_use& kernel : of.kernels)
    if (const auto takes = floors_of(kernel, prices).barriers)
      sum_s += takes->low * kernel.barriers / barriers_of_launches(kernel);
  return sum_s;
}

/// Without a price of any other way.
std::string change_by_counts(const kernel_use& kernel) {
  if (!is_add(*main_update(kernel)))
    return " A compare-and-swap or an exchange is nothing that a warp or a block could do first: "
           "fewer of them, or of each address, save time.";
  const double alike = threads_alike(*main_update(kernel));
  std::string change;
  if (alike >= several_alike)
    change += fmt::format(
        " In each warp {:.3g} threads update one address at a time: let one of them add for all "
        "(cooperative_groups::reduce, or __match_any_sync where addresses differ).",
        alike);
  if (kernel.addresses <= most_in_shared_memory)
    change += " Let each block add in its shared memory (privatize), and its threads once at the "
              "end to the GPU's, if no other block reads the addresses before.";
  else if (change.empty())
    change += " Spread the address over several copies, and add these at the end.";
  return change;
}

/// What to do, and what the GPU then takes for the updates; the way is as much faster as is worth
/// it.
struct named_change {
  std::string text;
  double takes_s = 0;
};

std::optional<named_change> change_by_price(const std::optional<way_to_update>& way, double now_s) {
  if (!way || now_s < worth_a_change * way->takes_s.high) return std::nullopt;
  return named_change{.text =
                          fmt::format(" {} The same updates then take {} on this machine.",
                                      way->change, range_text(way->takes_s.low, way->takes_s.high)),
                      .takes_s = way->takes_s.low};
}

std::string updates_text(const kernel_use& of, bool names_hottest) {
  const std::string updates = (of.is_at_least() ? "at least " : "") + grouped_digits(of.updates);
  if (of.addresses == 1)
    return fmt::format("updates one address of the GPU's memory {} times by atomic operations",
                       updates);
  const std::string all = fmt::format("updates {} addresses of the GPU's memory {} times by "
                                      "atomic operations",
                                      grouped_digits(of.addresses), updates);
  if (!names_hottest) return all;
  return fmt::format("{}, one of them {} times ({:.0f} %)", all, grouped_digits(of.hottest),
                     100.0 * static_cast<double>(of.hottest) / static_cast<double>(of.updates));
}

advice advice_of(const site& of, std::string_view rule, const std::string& what, double saves_s) {
  const double busy_s = of.device->busy.sum_ns * 1e-9;
  const std::string cause = fmt::format("{}: {}", where_text(of), what);
  return {.rule = std::string(rule),
          .site_id = 0,
          .at_most_s = saves_s,
          .text = fmt::format(
              "{} The GPU takes {} for what is launched there, of which that saves at most {}.",
              cause, seconds_text(busy_s), saves_s < busy_s ? seconds_text(saves_s) : "all"),
          .cause = cause,
          .of_plain_runs = true};
}

std::string no_faster_text(const site& of, const std::string& what,
                           const std::optional<way_to_update>& way) {
  return fmt::format("{}: {} {}", where_text(of), what,
                     way ? "No other way that was measured is shown to be faster by a fifth."
                         : "No other way has a price here.");
}

/// Whether what has this price would take longer than the GPU did for all: then it was faster than
/// what was measured, which a note says, and no floor.
bool is_beyond(const site& of, const std::string& what, const floor_of_site& floor, double busy_s,
               std::vector<std::string>& notes) {
  if (floor.sum_s <= most_beyond * busy_s) return false;
  const bool is_one = floor.kernels == 1;
  notes.push_back(fmt::format(
      "{}: at the price of this machine the {} of {} would take {}, and the GPU takes {} for all "
      "that is launched there: {} faster than those that were measured, and no advice is given on "
      "them.",
      where_text(of), what,
      is_one ? name_of(*floor.most) : count_text(floor.kernels, "kernel", "kernels"),
      seconds_text(floor.sum_s), seconds_text(busy_s), is_one ? "they are" : "some of them are"));
  return true;
}

std::optional<advice> about_hot_address(const site& of, double busy_s,
                                        const std::vector<price>& prices,
                                        std::vector<std::string>& notes) {
  floor_of_site floor = floor_of(of, prices, &kernel_floors::hottest);
  if (floor.most == nullptr || floor.sum_s < worth_its_time * busy_s) return std::nullopt;
  const kernel_use& kernel = *floor.most;
  if (is_beyond(of, "updates of one address", floor, busy_s, notes)) return std::nullopt;
  floor.most_s = std::min(floor.most_s, busy_s);
  const auto add_ns = price_of_hot_add(*main_update(kernel), prices);
  const std::string what = fmt::format(
      "kernel {} {}, which is done one after another: that takes {} at least, as {} takes {} on "
      "this machine.",
      name_of(kernel), updates_text(kernel, true), seconds_text(floor.most_s),
      is_add(*main_update(kernel)) ? "one" : "an add",
      range_text(add_ns->low * 1e-9, add_ns->high * 1e-9));
  const auto way = fastest_way(kernel, prices);
  const auto change = change_by_price(way, floor.most_s);
  if (!change && way) {
    notes.push_back(no_faster_text(of, what, way));
    return std::nullopt;
  }
  return advice_of(of, "hot_address", what + (change ? change->text : change_by_counts(kernel)),
                   std::max(0.0, busy_s - (change ? change->takes_s : 0)));
}

std::optional<advice> about_updates(const site& of, double busy_s, const std::vector<price>& prices,
                                    std::vector<std::string>& notes) {
  const floor_of_site floor = floor_of(of, prices, &kernel_floors::updates);
  if (floor.most == nullptr || floor.sum_s < worth_its_time * busy_s ||
      floor.value_s > most_beyond * busy_s)
    return std::nullopt;
  const kernel_use& kernel = *floor.most;
  const double per_ns = static_cast<double>(kernel.updates) / floor.most_s * 1e-9;
  const std::string what = fmt::format(
      "kernel {} {}: that takes about {}, as threads of the whole GPU do {:.3g} of them per ns on "
      "so many addresses in random order on this machine.",
      name_of(kernel), updates_text(kernel, false), seconds_text(floor.most_s), per_ns);
  const auto way = fastest_way(kernel, prices);
  const auto change = change_by_price(way, floor.most_s);
  if (!change) {
    notes.push_back(no_faster_text(of, what, way));
    return std::nullopt;
  }
  // Its barriers stay.
  const double stays_s = std::max(change->takes_s, counted_barriers_s(of, prices));
  return advice_of(of, "updates", what + change->text, std::max(0.0, busy_s - stays_s));
}

std::string number_of_barriers(const kernel_use& kernel) {
  const std::string number =
      grouped_digits(static_cast<std::uint64_t>(std::llround(barriers_of_launches(kernel))));
  if (!kernel.is_at_least()) return number;
  return has_whole_launches(kernel)
             ? fmt::format("about {} (as the first {} of {} launches do)", number,
                           grouped_digits(kernel.counted_launches), grouped_digits(kernel.launches))
             : "at least " + number;
}

std::optional<advice> about_barriers(const site& of, double busy_s,
                                     const std::vector<price>& prices,
                                     std::vector<std::string>& notes) {
  floor_of_site floor = floor_of(of, prices, &kernel_floors::barriers);
  // Warps of other blocks work meanwhile: where all else takes longer, none of them is felt.
  if (floor.most == nullptr || worth_a_change * floor.sum_s < busy_s) return std::nullopt;
  const kernel_use& kernel = *floor.most;
  if (is_beyond(of, "barriers", floor, busy_s, notes)) return std::nullopt;
  floor.most_s = std::min(floor.most_s, busy_s);
  const auto barrier = price_of_barrier(kernel, prices);
  return advice_of(
      of, "block_barriers",
      fmt::format("the blocks of kernel {} meet at {} barriers of {} threads: that takes {}, as "
                  "each takes {} where {} blocks run at once on this machine. Fewer "
                  "barriers, __syncwarp() where the threads of a warp need one another alone, or "
                  "smaller blocks save time.",
                  name_of(kernel), number_of_barriers(kernel), kernel.block_threads,
                  has_whole_launches(kernel) ? "about " + seconds_text(floor.most_s)
                                             : seconds_text(floor.most_s) + " at least",
                  range_text(barrier->ns.low * 1e-9, barrier->ns.high * 1e-9), barrier->blocks),
      busy_s);
}

/// Whether all that the kernel updates and waits for was counted and has a price.
bool is_priced_wholly(const kernel_use& kernel, const kernel_floors& floors) {
  return !kernel.is_at_least() && shared_updates(kernel) == 0 && kernel.cluster_waits == 0 &&
         kernel.object_waits == 0 && (kernel.updates == 0 || (floors.hottest && floors.updates)) &&
         (kernel.barriers < 1 || floors.barriers);
}

/// Of sites whose kernels are priced wholly, and of whose updates and barriers fewer save little.
void note_small_floor(const site& of, double busy_s, const advice_setting& setting,
                      std::vector<std::string>& notes) {
  if (busy_s < least_worth_saying * setting.wall_s) return;
  double about_s = 0;
  std::string names;
  for (const kernel_use& kernel : of.kernels) {
    const kernel_floors floors = floors_of(kernel, setting.prices);
    if (!is_priced_wholly(kernel, floors)) return;
    if (floors.about_s() == 0) continue;
    about_s += floors.about_s();
    names += (names.empty() ? "" : ", ") + name_of(kernel);
  }
  if (names.empty() || about_s > little_of_its_time * busy_s) return;
  notes.push_back(fmt::format(
      "{}: at the rates of this machine the atomic operations and barriers of {} take about {} of "
      "the {} that the GPU takes for what is launched there: fewer of them save little, "
      "unless threads wait for the answer of each or are too few to reach these rates.",
      where_text(of), names, seconds_text(about_s), seconds_text(busy_s)));
}

}  // namespace

points_in_room points_of_kernels(const std::vector<site>& sites, const gpu_device& gpu,
                                 double wall_s, std::size_t room) {
  std::vector<std::pair<double, const kernel_use*>> kernels;
  for (const site& of : sites) {
    if (!of.device || of.device->busy.sum_ns * 1e-9 < least_worth_saying * wall_s) continue;
    for (const kernel_use& kernel : of.kernels)
      kernels.emplace_back(of.device->busy.sum_ns, &kernel);
  }
  std::ranges::stable_sort(kernels, std::ranges::greater{}, [](const auto& each) {
    const kernel_use& kernel = *each.second;
    return std::pair(each.first, static_cast<double>(kernel.updates) +
                                     kernel.barriers * static_cast<double>(kernel.block_threads));
  });
  points_in_room found;
  std::vector<point> further;
  for (const auto& [busy_ns, kernel] : kernels) {
    std::vector<point> its = points_of_kernel(*kernel, gpu);
    std::erase_if(its, [&](const point& each) {
      return std::ranges::find(found.points, each) != found.points.end();
    });
    const bool fits = found.points.size() + its.size() <= room;
    if (!fits) found.left_out.push_back(name_of(*kernel));
    for (point& each : its)
      if (fits) found.points.push_back(std::move(each));
      else if (std::ranges::find(further, each) == further.end())
        further.push_back(std::move(each));
  }
  found.all = found.points.size() + further.size();
  return found;
}

void find_updates_in_code(const std::string& path, device_codes& codes, std::vector<site>& sites) {
  if (std::ranges::none_of(sites, [](const site& of) { return !of.kernels.empty(); })) return;
  find_updates_in_code(codes.of(path).sites, sites);
}

// Kernels of one template have one name: what they differ in is not known.
void find_updates_in_code(const std::vector<site>& code, std::vector<site>& sites) {
  for (site& of : sites)
    for (kernel_use& kernel : of.kernels) {
      kernel.name = kernel_name(kernel.name);
      for (update_use& update : kernel.by_instruction) {
        const site* found = nullptr;
        bool is_one = true;
        for (const site& each : code) {
          if (each.kind != "atomic" || each.offset != update.offset || each.frames.empty() ||
              each.frames.back().function != kernel.name)
            continue;
          is_one = is_one && (found == nullptr || found->operation == each.operation);
          found = &each;
        }
        if (found == nullptr || !is_one) continue;
        update.operation = found->operation;
        if (const source_frame* const shown = frame_to_show(*found); shown && shown->line > 0)
          update.place = fmt::format(
              "{}:{}", std::filesystem::path(shown->file).filename().string(), shown->line);
      }
    }
}

std::vector<advice> advise_on_kernels(const std::vector<site>& sites, const advice_setting& setting,
                                      std::vector<std::string>& notes) {
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& of = sites[i];
    if (!of.device || of.kernels.empty()) continue;
    const double busy_s = of.device->busy.sum_ns * 1e-9;
    const std::size_t notes_before = notes.size();
    std::optional<advice> found = about_hot_address(of, busy_s, setting.prices, notes);
    if (!found && notes.size() == notes_before)
      found = about_updates(of, busy_s, setting.prices, notes);
    if (!found) found = about_barriers(of, busy_s, setting.prices, notes);
    if (!found) {
      if (notes.size() == notes_before) note_small_floor(of, busy_s, setting, notes);
      continue;
    }
    found->site_id = i + 1;
    all.push_back(*std::move(found));
  }
  return all;
}

}  // namespace syncmeter
