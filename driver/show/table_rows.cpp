#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/results/headline.hpp"
#include "driver/show/axis_columns.hpp"
#include "driver/show/table.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

bool stands_before(const point_summary& a, const point_summary& b) {
  static const auto axes = [] {
    auto sorted = axis_columns;
    std::ranges::sort(sorted, {}, &axis_column::rank);
    return sorted;
  }();
  const auto first = [](const point_summary& s) {
    const op_facts facts = facts_of(s);
    return std::tuple(s.what.backend, s.what.arm, family_rank(facts.family), facts.family,
                      facts.rank, s.what.op);
  };
  const auto first_of_a = first(a), first_of_b = first(b);
  if (first_of_a != first_of_b) return first_of_a < first_of_b;
  for (const axis_column& axis : axes)
    if (const int order = axis.compare(a.what, b.what); order != 0) return order < 0;
  return false;
}

std::string without_affinity(point p) {
  p.affinity = affinity::none;
  return canonical(p);
}

// Returns an empty string if only cells, lanes or affinity differ, because such merges need no own
// row.
std::string other_code(const point& what, const point& measured) {
  std::vector<std::string> words;
  if (what.op != measured.op) words.push_back(measured.op);
  if (what.type != measured.type) words.push_back(type_text(measured));
  if (what.order != measured.order) words.emplace_back(to_text(measured.order));
  return words.empty() ? "" : "= " + join(words, " ");
}

// Returns how many ops run at a time: one for each lane, or for each block, cluster or grid whose
// lanes do the op together.
double concurrent_ops(const point_summary& s, const op_facts& facts) {
  if (facts.host_lane || facts.family == "launch") return 1;
  // Groups with a size count lanes, like other warp ops.
  const bool joint = facts.joint && !(facts.family == "group" && s.what.size != 0);
  if (!joint) {
    const double active = s.what.active != 0 ? s.what.active / 32.0 : 1;
    return active * s.what.lanes * s.what.blocks * facts.devices;
  }
  if (facts.launching == "cooperative") return 1;
  if (facts.launching == "cluster") return s.what.blocks / std::max(1.0, double(s.what.size));
  return s.what.blocks;
}

}  // namespace

std::string text_unless_usual(const point& p, std::string_view axis) {
  static const point usual;
  std::string text = axis_text(p, axis);
  return text == axis_text(usual, axis) ? "" : text;
}

std::vector<const point_summary*> other_placements(const point_summary& s) {
  std::vector<const point_summary*> shown;
  std::set<std::uint64_t> classes{s.state};
  for (const point_summary& other : s.other_states)
    if (other.visits >= enough_visits && classes.insert(other.state).second)
      shown.push_back(&other);
  return shown;
}

std::vector<table_row> rows_of(const std::vector<point_summary>& points) {
  std::vector<table_row> rows;
  std::map<std::string, const point*> measured;
  std::map<std::string, std::size_t> row_of;  // by cells and lanes, and by measured point
  for (const point_summary& s : points) {
    const bool refused = s.status == status::unsupported || s.status == status::elided;
    if (!s.measured_as.empty() || refused) continue;
    const std::string name = canonical(s.what);
    measured[name] = &s.what;
    row_of[without_affinity(s.what) + name] = rows.size();
    rows.push_back({&s, std::string(to_text(s.what.affinity)), ""});
  }
  for (const point_summary& s : points) {
    const auto in_place = measured.find(s.measured_as);
    if (in_place == measured.end()) continue;
    const auto [found, is_new] =
        row_of.try_emplace(without_affinity(s.what) + s.measured_as, rows.size());
    const std::string affinity(to_text(s.what.affinity));
    if (!is_new) rows[found->second].affinities += ", " + affinity;
    else if (const std::string code = other_code(s.what, *in_place->second); !code.empty())
      rows.push_back({&s, affinity, code});
    else row_of.erase(found);
  }
  std::ranges::stable_sort(rows, [](const table_row& a, const table_row& b) {
    return stands_before(*a.shown, *b.shown);
  });
  return rows;
}

std::size_t keep_some_pairs(std::vector<table_row>& rows) {
  constexpr std::size_t most = 56;
  std::map<std::string, std::size_t> pairs;
  return std::erase_if(rows, [&](const table_row& row) {
    if (row.shown->what.pus.size() != 2) return false;
    point without_pair = row.shown->what;
    without_pair.pus.clear();
    return ++pairs[canonical(without_pair)] > most;
  });
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return duration(s.cost_ns.value);
  if (has_upper_bound(s)) return "< " + upper_bound_ns(s.cost_ns.high);
  return "-";
}

// A single visit does not show how visits differ.
std::string interval_text(const interval& cost_ns) {
  if (!std::isfinite(cost_ns.low)) return "unknown";
  return fmt::format("{}..{}", duration(cost_ns.low), duration(cost_ns.high));
}

std::string_view status_words(status what) {
  switch (what) {
  case status::not_resolved:
    return "below resolution";
  case status::interferes:
    return "negative difference";
  case status::elided:
    return "optimized away";
  case status::too_slow:
    return "too slow";
  case status::busy:
    return "disturbed";
  default:
    return to_text(what);
  }
}

std::string remarks(const table_row& row) {
  const point_summary& s = *row.shown;
  std::vector<std::string> all;
  if (s.status != status::ok) all.emplace_back(status_words(s.status));
  const bool inserted = facts_of(s).inserted && s.visits != 0;
  // Marginal and negative costs need the times behind them.
  if (inserted || s.status == status::interferes)
    all.push_back(
        fmt::format("{} -> {} ns/step", nanoseconds(s.baseline_ns), nanoseconds(s.test_ns)));
  if (s.additive == false) all.emplace_back("does not add up");
  if (s.what.waves) all.emplace_back("in waves");
  if (!row.stands_in.empty()) all.push_back(row.stands_in);
  return join(all, "; ");
}

std::string type_text(const point& p) { return p.type ? std::string(to_text(*p.type)) : ""; }

std::string placement_text(const point& p) {
  if (p.placement == placement::none) return "";
  // On a GPU, the machine code and the cost differ if the compiler knows that all lanes use one
  // cell.
  const bool on_gpu = p.scope != scope::none || p.space != space::none;
  if (p.placement == placement::shared) return on_gpu ? "one variable, known" : "shared";
  if (on_gpu && p.stride == 0) return "one variable, by data";
  // The op's name tells the content of untyped cells.
  std::string text =
      p.type ? fmt::format("strided {} B", stride_bytes(p)) : fmt::format("strided {}", p.stride);
  if (p.base_offset != 0) text += fmt::format(" from {} B", p.base_offset);
  if (p.cells != 0) text += fmt::format(", {} variable{}", p.cells, p.cells == 1 ? "" : "s");
  return text;
}

std::string short_name(const point& p) {
  std::string text = p.op;
  if (p.type) text += " " + type_text(p);
  if (p.order != order::unordered) text += fmt::format(" {}", to_text(p.order));
  if (p.placement != placement::none) text += " " + placement_text(p);
  if (p.scope != scope::none) text += fmt::format(" {}", to_text(p.scope));
  if (p.flavour != flavour::none) text += fmt::format(" {}", to_text(p.flavour));
  if (p.space == space::shared_memory) text += " in shared memory";
  text += p.blocks != 1 ? fmt::format(", {} blocks of {} thread{}", p.blocks, p.lanes,
                                      p.lanes == 1 ? "" : "s")
                        : fmt::format(", {} thread{}", p.lanes, p.lanes == 1 ? "" : "s");
  if (p.active != 0) text += fmt::format(", {} of each warp", p.active);
  if (p.size != 0) text += fmt::format(", size {}", p.size);
  if (p.affinity != affinity::none) text += fmt::format(" {}", to_text(p.affinity));
  if (p.wait != wait_policy::active) text += fmt::format(" {}", to_text(p.wait));
  if (!p.pus.empty())
    text += fmt::format(" on CPU{} {}", p.pus.size() == 1 ? "" : "s", fmt::join(p.pus, ","));
  if (p.home != home::none) text += fmt::format(", home {}", to_text(p.home));
  if (p.section_ns != 0) text += fmt::format(", {} ns inside", p.section_ns);
  if (p.think_ns != 0) text += fmt::format(", {} ns outside", p.think_ns);
  if (p.reads_per_write != 0) text += fmt::format(", {} reads a write", p.reads_per_write);
  if (p.late_us != 0) text += fmt::format(", {} us late", p.late_us);
  if (p.gap_us != 0) text += fmt::format(", after {} us", p.gap_us);
  if (p.repeat != 0) text += fmt::format(", repeat {}", p.repeat);
  if (!p.arm.empty()) text += fmt::format(", in {}", p.arm);
  return text;
}

bool has_cost(const point_summary& s) {
  const bool usable =
      s.status == status::ok || s.status == status::busy || s.status == status::noisy;
  return usable && s.visits != 0 && s.cost_ns.value > 0 && s.resolved &&
         (s.cost_ns.low > 0 || !std::isfinite(s.cost_ns.low));
}

bool has_upper_bound(const point_summary& s) {
  const bool usable = s.status == status::not_resolved || s.status == status::noisy;
  return usable && s.visits != 0 && s.cost_ns.low <= 0 && s.cost_ns.high > 0 &&
         std::isfinite(s.cost_ns.high);
}

std::string nanoseconds(double ns) {
  if (!std::isfinite(ns)) return "unknown";
  const double size = std::abs(ns);
  if (size >= 999.95) return fmt::format("{:.0f}", ns);
  if (size >= 99.995) return fmt::format("{:.1f}", ns);
  if (size >= 9.9995) return fmt::format("{:.2f}", ns);
  if (size >= 0.99995) return fmt::format("{:.3f}", ns);
  if (size >= 0.00095 || size == 0) return fmt::format("{:.4f}", ns);
  return fmt::format("{:.1e}", ns);
}

std::string duration(double ns) {
  constexpr double us = 1e3, ms = 1e6, s = 1e9;
  if (!std::isfinite(ns) || std::abs(ns) < 9999.5) return nanoseconds(ns);
  if (std::abs(ns) < 999.5 * us) return fmt::format("{:.3g} us", ns / us);
  if (std::abs(ns) < 999.5 * ms) return fmt::format("{:.3g} ms", ns / ms);
  return fmt::format("{:.3g} s", ns / s);
}

std::string reach(const interval& cost) {
  if (!std::isfinite(cost.low) || !std::isfinite(cost.high) || !(cost.value > 0)) return "unknown";
  const double percent = 100 * std::max(cost.high - cost.value, cost.value - cost.low) / cost.value;
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string upper_bound_ns(double ns) {
  constexpr double smallest = 1e-4;
  return ns < 1 ? fmt::format("{:.4f}", std::ceil(ns / smallest) * smallest)
                : nanoseconds(ns * 1.0005);
}

std::string engineering(double value) {
  constexpr std::array<const char*, 5> prefixes{"", " k", " M", " G", " T"};
  std::size_t step = 0;
  // 999.5 would be written as 1e+03.
  while (value >= 999.5 && step + 1 < prefixes.size()) {
    value /= 1000;
    ++step;
  }
  if (value >= 999.5) return fmt::format("{:.3g}{}", value, prefixes[step]);
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, prefixes[step]);
}

bool has_cycles(const point_summary& s) { return has_cost(s) && s.cost_cycles.value > 0; }

std::optional<rates> rates_of(const point_summary& s) {
  const op_facts facts = facts_of(s);
  if (!has_cost(s) || facts.inserted) return std::nullopt;
  const double ops_per_s = 1e9 / s.cost_ns.value;
  // A handoff costs the time of one hop, and only one lane at a time has the token: on a GPU one
  // lane of each warp.
  if (facts.cost_per_lane) {
    const unsigned lanes = facts.participants != 0 ? facts.participants
                           : s.device              ? warps_of(s.what)
                                                   : s.what.lanes;
    return rates{ops_per_s / lanes, ops_per_s};
  }
  return rates{ops_per_s, ops_per_s * concurrent_ops(s, facts)};
}

}  // namespace syncmeter
