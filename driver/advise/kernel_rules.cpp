#include "driver/advise/kernel_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::string_view add_of_float = "accumulate_atomic", add_of_integer = "accumulate_fixed";
/// Threads of the priced block, each of which adds so often in one op.
constexpr unsigned lanes_of_price = 1024;
constexpr double adds_of_lane = 16;
/// So much of the time of its kernels must an address take.
constexpr double worth_its_time = 0.5;

bool updates_memory(const kernel_use& kernel) { return kernel.updates > 0; }

/// The instruction that updates the GPU's memory most often; null where none does.
const update_use* main_update(const kernel_use& kernel) {
  const update_use* most = nullptr;
  for (const update_use& each : kernel.by_instruction)
    if (!each.in_shared_memory && (most == nullptr || each.updates > most->updates)) most = &each;
  return most;
}

bool is_of_float(const update_use& update) {
  return std::ranges::any_of(std::array{".F16", ".F32", ".F64", ".BF16"}, [&](const char* type) {
    return update.operation.find(type) != std::string::npos;
  });
}

/// Of one add to an address that all add to. An update whose opcode is not known may be the faster
/// one.
std::optional<interval> price_of_add(bool of_float, const std::vector<price>& prices) {
  const std::string_view op = of_float ? add_of_float : add_of_integer;
  std::vector<price> of_op;
  std::ranges::copy_if(prices, std::back_inserter(of_op), [&](const price& each) {
    return each.what.op == op && each.what.size == 1 && each.what.blocks <= 1;
  });
  auto found = over_measurements(of_op);
  if (!found) return std::nullopt;
  const double adds = lanes_of_price * adds_of_lane;
  return interval{
      .value = found->value / adds, .low = found->low / adds, .high = found->high / adds};
}

/// A kernel whose one address takes long.
struct hot_kernel {
  const kernel_use& kernel;
  const update_use& update;
  interval add_ns;

  [[nodiscard]] double floor_s() const {
    return static_cast<double>(kernel.hottest) * add_ns.low * 1e-9;
  }
  /// Threads of a warp that update one address together, in the mean.
  [[nodiscard]] double threads_alike() const {
    return static_cast<double>(update.updates) /
           static_cast<double>(std::max<std::uint64_t>(1, update.warp_addresses));
  }
};

std::string change_for(const hot_kernel& hot) {
  constexpr double several = 2;
  constexpr std::uint64_t most_in_shared_memory = 4096;
  std::string change;
  if (hot.threads_alike() >= several)
    change += fmt::format(
        " In each warp {:.3g} threads update one address at a time: let one of them add for all "
        "(cooperative_groups::reduce, or __match_any_sync where addresses differ).",
        hot.threads_alike());
  if (hot.kernel.addresses <= most_in_shared_memory)
    change += " Let each block add in its shared memory (privatize), and its threads once at the "
              "end to the GPU's.";
  else if (change.empty())
    change += " Spread the address over several copies, and add these at the end.";
  return change;
}

std::string updates_text(const kernel_use& of) {
  const std::string updates = (of.is_at_least() ? "at least " : "") + grouped_digits(of.updates);
  if (of.addresses == 1)
    return fmt::format("updates one address of the GPU's memory {} times by atomic operations",
                       updates);
  return fmt::format("updates {} addresses of the GPU's memory {} times by atomic operations, one "
                     "of them {} times ({:.0f} %)",
                     grouped_digits(of.addresses), updates, grouped_digits(of.hottest),
                     100.0 * static_cast<double>(of.hottest) / static_cast<double>(of.updates));
}

std::string text_of(const hot_kernel& hot) {
  return fmt::format(
      "kernel {}{} {}, which is done one after another: that takes {} at least, as one takes {} on "
      "this machine.{}",
      hot.kernel.name, hot.update.place.empty() ? "" : fmt::format(" ({})", hot.update.place),
      updates_text(hot.kernel), seconds_text(hot.floor_s()),
      range_text(hot.add_ns.low * 1e-9, hot.add_ns.high * 1e-9), change_for(hot));
}

}  // namespace

std::vector<point> points_of_updates(const std::vector<site>& sites) {
  std::vector<point> points;
  bool floats = false, integers = false;
  for (const site& each : sites)
    for (const kernel_use& kernel : each.kernels)
      if (const update_use* const update = main_update(kernel); update && updates_memory(kernel))
        (is_of_float(*update) ? floats : integers) = true;
  const auto add = [&](std::string_view op) {
    point p;
    p.backend = "cuda";
    p.op = op;
    p.lanes = lanes_of_price;
    p.blocks = 1;
    p.size = 1;
    points.push_back(std::move(p));
  };
  if (floats) add(add_of_float);
  if (integers) add(add_of_integer);
  return points;
}

bool is_price_of_update(std::string_view op) { return op == add_of_float || op == add_of_integer; }

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

std::vector<advice> advise_on_kernels(const std::vector<site>& sites,
                                      const advice_setting& setting) {
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& of = sites[i];
    if (!of.device) continue;
    double floor_s = 0;
    std::optional<hot_kernel> hottest;
    for (const kernel_use& kernel : of.kernels) {
      const update_use* const update = main_update(kernel);
      if (update == nullptr || !updates_memory(kernel)) continue;
      const auto add_ns = price_of_add(is_of_float(*update), setting.prices);
      if (!add_ns) continue;
      const hot_kernel hot{.kernel = kernel, .update = *update, .add_ns = *add_ns};
      floor_s += hot.floor_s();
      if (!hottest || hot.floor_s() > hottest->floor_s()) hottest.emplace(hot);
    }
    const double busy_s = of.device->busy.sum_ns * 1e-9;
    if (!hottest || floor_s < worth_its_time * busy_s) continue;
    const std::string cause = fmt::format("{}: {}", where_text(of), text_of(*hottest));
    all.push_back({.rule = "hot_address",
                   .site_id = i + 1,
                   .at_most_s = busy_s,
                   .text = fmt::format("{} The GPU takes {} for what is launched there, of which "
                                       "that saves at most all.",
                                       cause, seconds_text(busy_s)),
                   .cause = cause,
                   .by_gpu_clock = true});
  }
  return all;
}

}  // namespace syncmeter
