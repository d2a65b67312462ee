// Makes points on a GPU from a study's rule. The worker checks limits again, because only it knows
// how many registers a kernel takes.
#include "driver/plan/gpu_plan.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// Returns whether an op has values on an axis. The first value in each enum means none.
template <class Enum> bool has_axis(const offered_op& op, Enum capability::* axis) {
  return std::ranges::any_of(op.rows,
                             [axis](const capability* row) { return row->*axis != Enum{}; });
}

template <class Enum>
bool passes(const offered_op& op, const capability& row, Enum capability::* axis,
            const std::vector<Enum>& wanted) {
  return wanted.empty() || !has_axis(op, axis) || contains(wanted, row.*axis);
}

bool is_at(const capability& row, std::optional<value_type> type, placement where) {
  const bool here =
      row.placements.empty() ? where == placement::none : contains(row.placements, where);
  return row.type == type && here;
}

/// The value of size_of if point::size counts this host's devices.
constexpr std::string_view devices_of_host = "devices";

// Returns a study's numbers of devices up to this host's number. On a host with a single device it
// also returns 2, to list the refusal.
std::vector<unsigned> numbers_of_devices(std::vector<unsigned> wanted, unsigned here) {
  const unsigned most = std::max(here, 2U);
  if (wanted == std::vector{0U}) wanted = {most};
  std::erase_if(wanted, [most](unsigned n) { return n > most; });
  return wanted;
}

// Returns whether a study with written forms includes this form. A backend without flavours has one
// way to write it.
bool is_written(const capability& row, const std::vector<written_form>& wanted) {
  if (wanted.empty() || row.flavour == flavour::none) return true;
  return row.space != space::shared_memory &&
         std::ranges::any_of(wanted, [&row](const written_form& f) {
           return f.flavour == row.flavour && f.scope == row.scope && f.order == row.order;
         });
}

bool names_form(const run_options& options) {
  return !(options.orders.empty() && options.scopes.empty() && options.flavours.empty() &&
           options.spaces.empty());
}

// Counts the lanes that take part, as an op's min_lanes does.
unsigned participants(const capability& row, const point& p, unsigned warp_size) {
  if (row.ring_of_lanes) return p.lanes;
  return row.family == "handoff" ? warps_of(p, warp_size) : p.lanes * p.blocks;
}

}  // namespace

std::pair<unsigned, unsigned> resolve(const count_range& blocks, const gpu_device& gpu,
                                      unsigned threads) {
  const auto only = [&blocks](unsigned n) {
    n = std::max(n * blocks.times / blocks.whole, 1U) * blocks.whole;
    return std::pair{n, n};
  };
  switch (blocks.named) {
  case count_range::symbol::half_sm:
    return only(std::max(1U, gpu.multiprocessors / 2));
  case count_range::symbol::sm:
    return only(gpu.multiprocessors);
  case count_range::symbol::two_sm:
    return only(2 * gpu.multiprocessors);
  case count_range::symbol::max:
    return only(co_resident_blocks(gpu, threads));
  case count_range::symbol::beyond:
    return only(co_resident_blocks(gpu, threads) + 1);
  case count_range::symbol::none:
    break;
  }
  return {blocks.first, blocks.last};
}

gpu_planner::gpu_planner(const run_options& options, const gpu_device& gpu)
    : options_(options), gpu_(gpu) {
  const unsigned most = gpu.max_threads_per_block;
  for (const count_range& range : options.lanes) {
    const unsigned last = range.named == count_range::symbol::max ? most : range.last;
    if (last > most) {
      throw usage_error(
          fmt::format("--threads: {} exceeds the {} threads per block of device {} ({})", last,
                      most, gpu.index, gpu.name));
    }
    for (unsigned n = range.named == count_range::symbol::max ? most : range.first; n <= last; ++n)
      add_once(threads_, n);
  }
}

void gpu_planner::add(const offered_op& op, const gpu_axes& axes) {
  const bool refused = refuse_missing_values(op);
  for (const auto& type : wanted_types(op, options_, axes.types)) {
    const bool of_study = options_.types.empty() && type;
    if (of_study && !axes.only.empty() && !contains(axes.only, *type)) continue;
    for (const placement where : wanted_placements(op, options_, axes.placements)) {
      point p{.backend = op.backend, .op = op.name, .type = type, .placement = where};
      const std::vector<const capability*> rows = rows_of(op, axes.forms, type, where);
      if (rows.empty() && !refused) {
        p.order = op.orders().front();
        refuse(p, why_not_offered(op, p));
      }
      for (const capability* row : rows) {
        const bool left_out = !axes.scopes.empty() && !contains(axes.scopes, row->scope);
        if (left_out && options_.scopes.empty()) continue;
        if (!is_written(*row, axes.written) && !names_form(options_)) continue;
        p.order = row->order;
        p.scope = row->scope;
        p.flavour = row->flavour;
        p.space = row->space;
        if (row->supported) add_cells(op, axes, *row, p);
        else refuse(p, row->reason);
      }
    }
  }
}

// Refuses an option's value that no row has, if the op has the axis.
bool gpu_planner::refuse_missing_values(const offered_op& op) {
  bool refused = false;
  const auto check = [&]<class Enum>(const char* what, Enum capability::* axis,
                                     Enum point::* of_point, const std::vector<Enum>& wanted) {
    if (!has_axis(op, axis)) return;
    std::vector<Enum> offered;
    for (const capability* row : op.rows) add_once(offered, row->*axis);
    for (const Enum value : wanted) {
      if (contains(offered, value)) continue;
      point p{.backend = op.backend, .op = op.name};
      p.*of_point = value;
      refuse(p, fmt::format("has no {} {}, only {}", what, to_text(value), texts(offered)));
      refused = true;
    }
  };
  check("order", &capability::order, &point::order, options_.orders);
  check("scope", &capability::scope, &point::scope, options_.scopes);
  check("flavour", &capability::flavour, &point::flavour, options_.flavours);
  check("space", &capability::space, &point::space, options_.spaces);
  const std::vector<unsigned> built = wanted_sizes(op, run_options{}, {});
  for (const unsigned size : options_.sizes) {
    if (built.front() == 0 || contains(built, size)) continue;
    refuse({.backend = op.backend, .op = op.name, .size = size},
           fmt::format("has no size {} ({}), only {}", size, op.rows.front()->size_of,
                       fmt::join(built, ", ")));
    refused = true;
  }
  return refused;
}

// Keeps one form for each value on axes that the user names.
std::vector<const capability*> gpu_planner::rows_of(const offered_op& op, form_set forms,
                                                    std::optional<value_type> type,
                                                    placement where) const {
  std::vector<const capability*> rows;
  std::set<std::tuple<order, scope, flavour, space, unsigned>> taken;
  std::vector<const capability*> listed = op.rows;
  if (forms == form_set::relaxed)
    std::stable_partition(listed.begin(), listed.end(),
                          [](const capability* row) { return row->order == order::relaxed; });
  for (const capability* row : listed) {
    if (row->some_lanes || !is_at(*row, type, where)) continue;
    if (!passes(op, *row, &capability::order, options_.orders) ||
        !passes(op, *row, &capability::scope, options_.scopes) ||
        !passes(op, *row, &capability::flavour, options_.flavours) ||
        !passes(op, *row, &capability::space, options_.spaces))
      continue;
    const bool each_scope = forms == form_set::each_scope || !options_.scopes.empty();
    const bool is_new = taken
                            .emplace(options_.orders.empty() ? order{} : row->order,
                                     each_scope ? row->scope : scope{},
                                     options_.flavours.empty() ? flavour{} : row->flavour,
                                     options_.spaces.empty() ? space{} : row->space, row->size)
                            .second;
    if (is_new || forms == form_set::all) rows.push_back(row);
  }
  return rows;
}

std::vector<gpu_planner::grid_shape> gpu_planner::grid_shapes_of(const gpu_axes& axes) const {
  std::vector<grid_shape> shapes;
  for (const grid_set& set : axes.grids) {
    for (const unsigned threads : threads_.empty() ? set.threads : threads_) {
      for (const count_range& blocks : options_.blocks.empty() ? set.blocks : options_.blocks) {
        const auto [first, last] = resolve(blocks, gpu_, threads);
        for (unsigned n = first; n <= last; ++n) add_once(shapes, grid_shape{n, threads});
      }
    }
  }
  return shapes;
}

void gpu_planner::add_cells(const offered_op& op, const gpu_axes& axes, const capability& row,
                            point p) {
  std::vector<unsigned> strides{0};
  if (p.placement == placement::strided)
    strides = options_.strides.empty() ? axes.strides : options_.strides;
  std::vector<unsigned> actives = options_.actives.empty() ? axes.actives : options_.actives;
  if (actives.empty()) actives = {0};
  std::vector<unsigned> sizes = wanted_sizes(op, options_, axes.sizes);
  if (row.size_of == devices_of_host && options_.sizes.empty())
    sizes = numbers_of_devices(sizes, gpu_.devices);
  if (row.size != 0) std::erase_if(sizes, [&row](unsigned size) { return size != row.size; });
  for (unsigned& active : actives) active = active == gpu_.warp_size ? 0 : active;
  const bool additivity = axes.additivity || options_.additivity;
  for (const auto& [blocks, threads] : grid_shapes_of(axes)) {
    p.blocks = blocks;
    p.lanes = threads;
    for_each_combination(
        p, [&](const point& at) { add_point(op, row, at, additivity); },
        along{&point::stride, strides}, along{&point::active, actives}, along{&point::size, sizes},
        along{&point::home, wanted_homes(op, options_, axes.homes, true)},
        along{&point::repeat, repeats_of(axes.repeats)});
  }
}

// Returns why a grid or its active lanes are not supported, or an empty string.
std::string gpu_planner::why_unsupported(const offered_op& op, const capability& row,
                                         const point& p) const {
  if (p.lanes > gpu_.max_threads_per_block)
    return fmt::format("--threads {}: a block has at most {} threads on this device", p.lanes,
                       gpu_.max_threads_per_block);
  if (participants(row, p, gpu_.warp_size) < row.min_lanes) {
    const bool of_warps = row.family == "handoff" && !row.ring_of_lanes;
    return fmt::format("needs at least {} {}", row.min_lanes,
                       of_warps ? "warps, since one thread of each takes part" : "threads");
  }
  if (p.active != 0) {
    if (row.communicates)
      return "--active is not supported by this operation: all threads take part in it";
    if (p.lanes % gpu_.warp_size != 0) {
      return fmt::format(
          "--active {} with --threads {}: the threads per block must be a multiple of "
          "{} (whole warps)",
          p.active, p.lanes, gpu_.warp_size);
    }
    if (const capability* some = op.row(p); some == nullptr || !some->supported)
      return fmt::format(
          "--active {}: the backend does not support this form with inactive threads", p.active);
  }
  if (p.home == home::second && row.family == "launch")
    return "--home second applies to the mailboxes of a handoff; for a launching thread use first "
           "(near the GPU) or other (far from it)";
  if (row.family == "handoff" && p.waves)
    return "--waves is not supported by a handoff: all warps of its ring must be resident at once";
  const unsigned fit = co_resident_blocks(gpu_, p.lanes);
  if (p.blocks > fit && !p.waves) {
    return fmt::format("at most {} blocks of {} threads are co-resident on this device{}", fit,
                       p.lanes, row.all_at_once ? "" : "; --waves measures them in waves");
  }
  return {};
}

void gpu_planner::add_point(const offered_op& op, const capability& row, point p, bool additivity) {
  p.waves = options_.waves && p.blocks > co_resident_blocks(gpu_, p.lanes);
  if (row.size_of == devices_of_host && p.size > gpu_.devices) {
    return refuse(p, fmt::format("--size {}: this host has {} CUDA device{}", p.size, gpu_.devices,
                                 gpu_.devices == 1 ? "" : "s"));
  }
  if (const std::string reason = why_unsupported(op, row, p); !reason.empty())
    return refuse(p, reason, true);
  const capability& kernel = p.active == 0 ? row : *op.row(p);
  if (kernel.census.is_object() && kernel.census.value("verdict", "") == "elided") {
    return refuse(p, "the compiler emits nothing for it: both loops are the same machine code",
                  false, "elided");
  }
  if (!planned_.insert(canonical(p)).second) return;
  points_.push_back({.what = p,
                     .pus = {},
                     .device = gpu_.index,
                     .same_as = {},
                     .why = {},
                     .additivity = additivity && row.additivity,
                     .visits = options_.visits.value_or(usual_gpu_visits),
                     .census = kernel.census});
}

// Reports a refusal once for an op's type and form if it holds for any grid and cells, else once
// for each grid.
void gpu_planner::refuse(const point& p, const std::string& reason, bool for_its_grid,
                         const char* status) {
  point key = p;
  key.stride = 0;
  key.repeat = 0;
  if (!for_its_grid) key.lanes = key.blocks = 1;
  if (refused_keys_.insert(canonical(key) + reason).second)
    refused_.push_back({.what = p, .status = status, .reason = reason});
}

void require_gpu_for(const run_options& options) {
  const std::array<std::pair<const char*, bool>, 7> given{
      {{"--blocks", !options.blocks.empty()},
       {"--scope", !options.scopes.empty()},
       {"--api", !options.flavours.empty()},
       {"--space", !options.spaces.empty()},
       {"--active", !options.actives.empty()},
       {"--device", options.devices != std::vector{0U}},
       {"--waves", options.waves}}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      throw usage_error(fmt::format("{} applies to GPU backends only, and none is in use", name));
}

}  // namespace syncmeter
