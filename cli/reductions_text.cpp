// The tables of reductions, and which form wins at which size.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/reductions_study.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

constexpr std::string_view reads = "read_bandwidth", copies = "copy_bandwidth";

bool is_form(const point_summary& s) { return s.what.op.starts_with("reduce_max"); }

/// Of one type and size, in the order of the results.
struct reductions_of_size {
  std::vector<const point_summary*> all{};
  [[nodiscard]] const point_summary* limit(const point_summary& form) const {
    for (const point_summary* s : all) {
      if (s->what.op == reads && s->what.backend == form.what.backend && s->device == form.device &&
          has_cost(*s))
        return s;
    }
    return nullptr;
  }
};

using by_type_and_size = std::map<std::pair<value_type, unsigned>, reductions_of_size>;

by_type_and_size reductions_in(const std::vector<point_summary>& points) {
  by_type_and_size found;
  for (const point_summary& s : points) {
    const bool bandwidth = s.what.op == reads || s.what.op == copies;
    if ((is_form(s) || bandwidth) && s.what.type && s.what.size != 0)
      found[{*s.what.type, s.what.size}].all.push_back(&s);
  }
  for (auto& [key, size] : found) {
    std::ranges::stable_sort(size.all, {}, [](const point_summary* s) {
      return std::tuple{!s->device.has_value(), !has_cost(*s), s->cost_ns.value};
    });
  }
  return found;
}

std::string size_text(unsigned size) {
  const bool power = (size & (size - 1)) == 0;
  unsigned exponent = 0;
  while (size >> (exponent + 1) != 0) ++exponent;
  return power && exponent >= 10 ? fmt::format("2^{}", exponent) : fmt::format("{}", size);
}

double bytes_of(const point& p) {
  return static_cast<double>(p.size) * static_cast<double>(size_of(*p.type)) *
         (p.op == copies ? 2 : 1);
}

// Read for read: a copy is no reduction, and has no share.
std::string share_text(const reductions_of_size& size, const point_summary& s) {
  const point_summary* const limit = is_form(s) ? size.limit(s) : nullptr;
  constexpr unsigned smallest = 1U << 20U;  // below, both are the time of a launch
  if (limit == nullptr || s.what.size < smallest) return {};
  return fmt::format("{:.0f} %", 100 * limit->cost_ns.value / s.cost_ns.value);
}

std::string table_of(const by_type_and_size& found) {
  columns text({{"backend", left},
                {"form", left},
                {"lanes", right},
                {"us", right},
                {"ns/element", right},
                {"GB/s", right},
                {"of the reads", right},
                {"", left}});
  for (const auto& [key, size] : found) {
    const auto& [type, elements] = key;
    text.heading(fmt::format(
        "{} {}, {}B", size_text(elements), to_text(type),
        engineering(static_cast<double>(elements) * static_cast<double>(size_of(type)))));
    for (const point_summary* s : size.all) {
      std::vector<std::string> cells{s->what.backend, s->what.op, fmt::format("{}", s->what.lanes)};
      if (has_cost(*s)) {
        const double ns = s->cost_ns.value;
        cells.insert(cells.end(), {nanoseconds(ns * 1e-3), nanoseconds(ns / elements),
                                   nanoseconds(bytes_of(s->what) / ns), share_text(size, *s), ""});
      } else {
        cells.insert(cells.end(), {"-", "", "", "", std::string(to_text(s->status))});
      }
      text.row(std::move(cells));
    }
  }
  return text.text();
}

std::string name_of(const point_summary& s) {
  const std::string form = s.what.backend + " " + s.what.op;
  if (!s.device)
    return fmt::format("{} on {} lane{}", form, s.what.lanes, s.what.lanes == 1 ? "" : "s");
  if (s.what.op.ends_with("_cub")) return form;  // chooses its own blocks
  return fmt::format("{} ({} threads a block)", form, s.what.lanes);
}

// The fastest of a GPU's forms or of the CPUs', and those whose intervals reach its own.
std::string winner_of(const reductions_of_size& size, bool on_gpu) {
  const point_summary* best = nullptr;
  std::size_t forms = 0;
  for (const point_summary* s : size.all) {
    if (!is_form(*s) || s->device.has_value() != on_gpu || !has_cost(*s)) continue;
    ++forms;
    if (best == nullptr || s->cost_ns.value < best->cost_ns.value) best = s;
  }
  if (best == nullptr || forms < 2) return {};
  const point& p = best->what;
  std::string text = fmt::format("- {} {}: {}, {} us", size_text(p.size), to_text(*p.type),
                                 name_of(*best), nanoseconds(best->cost_ns.value * 1e-3));
  if (const std::string share = share_text(size, *best); !share.empty())
    text += fmt::format(", {} of the reads' bandwidth", share);
  std::string like;
  for (const point_summary* s : size.all) {
    if (s == best || !is_form(*s) || s->device.has_value() != on_gpu || !has_cost(*s)) continue;
    if (s->cost_ns.low <= best->cost_ns.high)
      like += fmt::format("{}{}", like.empty() ? "" : ", ", name_of(*s));
  }
  if (!like.empty()) text += fmt::format("; not told apart from it: {}", like);
  return text + "\n";
}

}  // namespace

std::string reductions_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != "reductions") return {};
  const by_type_and_size found = reductions_in(points);
  if (found.empty()) return {};
  const bool on_gpu = std::ranges::any_of(
      points, [](const point_summary& s) { return s.what.op == reads && has_cost(s); });
  std::string text = "\nReductions: one maximum of an array\n" + table_of(found);
  text +=
      "  An array that fits a cache is read from it: each reduction follows another on the same "
      "array";
  if (on_gpu)
    text += ".\n  Of the reads: the time of read_bandwidth over the form's, same array and run";
  text += "\n";
  std::string winners[2];
  for (const auto& [key, size] : found) {
    winners[0] += winner_of(size, false);
    winners[1] += winner_of(size, true);
  }
  if (!winners[1].empty()) text += "\nWhich form is the fastest on the GPU\n" + winners[1];
  if (!winners[0].empty()) text += "\nWhich is the fastest on the CPU\n" + winners[0];
  return text + fmt::format("- left out by the study: {}\n", find_study("reductions")->left_out);
}

}  // namespace syncmeter
