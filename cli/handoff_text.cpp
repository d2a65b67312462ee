// The tables of handoffs between warps: by form, by distance, and the chain beside what its article
// measured.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/handoff_study.hpp"
#include "cli/visit_ratios.hpp"
#include "core/stats.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

// The article's own program on an H200: ms for 2^20 warps, one handoff each.
struct published {
  flavour by;
  order in;
  scope to;
  double ms;
};
constexpr std::array published_chain{
    published{flavour::ptx, order::acq_rel, scope::block, 277},
    published{flavour::ptx, order::acq_rel, scope::device, 3014},
    published{flavour::ptx, order::acq_rel, scope::system, 6762},
    published{flavour::volatile_access, order::acq_rel, scope::device, 5672},
    published{flavour::volatile_access, order::acq_rel, scope::system, 6781},
    published{flavour::atomic_ref, order::acq_rel, scope::device, 3013},
    published{flavour::ptx, order::relaxed, scope::block, 248},
    published{flavour::ptx, order::relaxed, scope::device, 1853},
    published{flavour::ptx, order::relaxed, scope::system, 3306}};
constexpr double published_warps = 1U << 20U;

std::optional<double> published_ms(const point& p) {
  const auto found = std::ranges::find_if(published_chain, [&p](const published& row) {
    return row.by == p.flavour && row.in == p.order && row.to == p.scope;
  });
  if (found == published_chain.end()) return std::nullopt;
  return found->ms;
}

// The form that the others are compared with.
bool is_reference(const point& p) {
  return p.flavour == flavour::ptx && p.order == order::acq_rel && p.scope == scope::device;
}

std::string form_text(const point& p) {
  if (p.flavour == flavour::ptx)
    return p.order == order::relaxed ? "ld.relaxed, st.relaxed" : "ld.acquire, st.release";
  if (p.flavour == flavour::atomic_ref)
    return p.order == order::relaxed ? "atomic_ref relaxed" : "atomic_ref acquire, release";
  if (p.order == order::relaxed) return "volatile";
  if (p.scope == scope::system) return "volatile, __threadfence_system";
  return p.scope == scope::block ? "volatile, __threadfence_block" : "volatile, __threadfence";
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return nanoseconds(s.cost_ns.value);
  return has_upper_bound(s) ? "< " + upper_bound_ns(s.cost_ns.high) : "-";
}

std::string status_text(const point_summary& s) {
  return s.status == status::ok ? "" : std::string(to_text(s.status));
}

std::string polls_text(const handoff_seen& seen) {
  return seen.polls ? fmt::format("{:.3g}", *seen.polls) : "";
}

std::string old_text(const handoff_seen& seen) {
  if (!seen.old_messages || !seen.messages) return "";
  return fmt::format("{} of {}", *seen.old_messages, *seen.messages);
}

// The cheapest form of a ring whose order keeps data and flag together.
std::string cheapest_in_order(const std::vector<const point_summary*>& rows) {
  const point_summary* best = nullptr;
  for (const point_summary* s : rows) {
    if (!has_cost(*s) || s->what.order == order::relaxed) continue;
    if (best == nullptr || s->cost_ns.value < best->cost_ns.value) best = s;
  }
  if (best == nullptr) return {};
  const unsigned blocks = best->what.blocks;
  return fmt::format("- {}: {} at scope {} is the cheapest form that keeps data and flag in order, "
                     "{} ns ({}..{})\n",
                     blocks == 1 ? "one block" : fmt::format("{} blocks", blocks),
                     form_text(best->what), to_text(best->what.scope),
                     nanoseconds(best->cost_ns.value), nanoseconds(best->cost_ns.low),
                     nanoseconds(best->cost_ns.high));
}

// By form, orders before what is relaxed, and the narrowest scope first.
std::array<unsigned, 3> rank_of(const point& p) {
  constexpr std::array scopes{scope::block, scope::cluster, scope::device, scope::system};
  constexpr std::array flavours{flavour::ptx, flavour::atomic_ref, flavour::volatile_access};
  constexpr std::array orders{order::acq_rel, order::relaxed};
  const auto place = [](const auto& all, auto value) {
    return static_cast<unsigned>(std::ranges::find(all, value) - all.begin());
  };
  return {place(flavours, p.flavour), place(orders, p.order), place(scopes, p.scope)};
}

class tables {
 public:
  tables(const results_file& file, const std::vector<point_summary>& points)
      : file_{file}, costs_{costs_by_point(file, state_classes(file))} {
    for (const point_summary& s : points) {
      if (s.device && s.visits > 0) points_.push_back(&s);
      else if (s.device && s.status == status::failed) points_.push_back(&s);
    }
    std::ranges::stable_sort(
        points_, [](const auto* a, const auto* b) { return rank_of(a->what) < rank_of(b->what); });
  }

  [[nodiscard]] std::string text() const { return forms() + distances() + chain(); }

 private:
  using summaries = std::vector<const point_summary*>;

  template <class Keep> [[nodiscard]] summaries those(const Keep& keep) const {
    summaries kept;
    std::ranges::copy_if(points_, std::back_inserter(kept),
                         [&keep](const point_summary* s) { return keep(s->what); });
    return kept;
  }
  [[nodiscard]] visit_ratio over_reference(const point_summary& s, const summaries& rows) const {
    const auto found =
        std::ranges::find_if(rows, [](const auto* row) { return is_reference(row->what); });
    if (found == rows.end()) return {};
    return ratio_of(costs_, s, **found, ratio_of_likeliest);
  }
  [[nodiscard]] std::string ratio_cell(const point_summary& s, const summaries& rows) const {
    return is_reference(s.what) ? "1" : ratio_text(over_reference(s, rows));
  }

  [[nodiscard]] std::string forms() const;
  [[nodiscard]] std::string distances() const;
  [[nodiscard]] std::string chain() const;

  const results_file& file_;
  measured_costs costs_;
  summaries points_;
};

std::string tables::forms() const {
  columns table({{"form", left},
                 {"scope", left},
                 {"ns/handoff", right},
                 {"over ptx device", right},
                 {"95 % interval", right},
                 {"polls", right},
                 {"old messages", right},
                 {"", left}});
  std::string findings;
  for (const bool one_block : {true, false}) {
    const summaries rows = those([one_block](const point& p) {
      return p.op == "warp_handoff" && (p.blocks == 1) == one_block;
    });
    if (rows.empty()) continue;
    findings += cheapest_in_order(rows);
    const point& first = rows.front()->what;
    table.heading(one_block
                      ? fmt::format("ring of the warps of one block of {} threads", first.lanes)
                      : fmt::format("ring through {} blocks", first.blocks));
    for (const point_summary* s : rows) {
      const handoff_seen seen = seen_by_visits(file_, *s);
      table.row({form_text(s->what), std::string(to_text(s->what.scope)), cost_text(*s),
                 ratio_cell(*s, rows), bounds_text(over_reference(*s, rows)), polls_text(seen),
                 old_text(seen), status_text(*s)});
    }
  }
  if (those([](const point& p) { return p.op == "warp_handoff"; }).empty()) return {};
  return "\nHandoffs: a flag from warp to warp, by form\n" + table.text() +
         "  polls: in vain, of all that wait, for each handoff; counted in a register behind the "
         "load, on both sides alike\n"
         "  old messages: data of before the flag that were not seen with it; with acquire and "
         "release one would fail the point\n" +
         findings;
}

std::string tables::distances() const {
  columns table({{"from one warp to another", left},
                 {"scope", left},
                 {"pairs", right},
                 {"ns/handoff", right},
                 {"lowest..highest", right}});
  struct group {
    std::string name;
    std::vector<const point_summary*> rows;
  };
  std::vector<group> groups(6);
  groups[0].name = "of one block";
  groups[1].name = "of two blocks of one cluster";
  groups[2].name = "of two blocks on one multiprocessor";
  groups[3].name = "on two multiprocessors of one GPC";
  groups[4].name = "on two multiprocessors of two GPCs";
  groups[5].name = "on two multiprocessors that met in no cluster";
  const point_summary* farthest = nullptr;
  for (const point_summary* s : points_) {
    const point& p = s->what;
    if (!has_cost(*s) || p.order != order::acq_rel || p.flavour != flavour::ptx) continue;
    if (p.op == "warp_handoff" && p.blocks == 1 && p.lanes == 64 &&
        (p.scope == scope::block || p.scope == scope::device))
      groups[0].rows.push_back(s);
    if (p.op == "cluster_handoff" && p.blocks == 2) groups[1].rows.push_back(s);
    if (p.op != "sm_handoff") continue;
    const auto same = seen_by_visits(file_, *s).same_gpc;
    groups[p.size == 1 ? 2 : !same ? 5 : *same ? 3 : 4].rows.push_back(s);
    if (p.size != 1 && (farthest == nullptr || s->cost_ns.value > farthest->cost_ns.value))
      farthest = s;
  }
  bool any = false;
  for (const group& g : groups) {
    for (const scope to : {scope::block, scope::cluster, scope::device}) {
      std::vector<double> costs;
      for (const point_summary* s : g.rows) {
        if (s->what.scope == to) costs.push_back(s->cost_ns.value);
      }
      if (costs.empty()) continue;
      any = true;
      const auto [low, high] = std::ranges::minmax(costs);
      table.row(
          {g.name, std::string(to_text(to)), fmt::to_string(costs.size()),
           nanoseconds(median(costs)),
           costs.size() == 1 ? "" : fmt::format("{}..{}", nanoseconds(low), nanoseconds(high))});
    }
  }
  if (!any) return {};
  std::string text = "\nHandoffs by distance: ld.acquire, st.release\n" + table.text();
  if (farthest != nullptr) {
    text += fmt::format("  farthest from multiprocessor 1: multiprocessor {}, {} ns\n",
                        farthest->what.size, nanoseconds(farthest->cost_ns.value));
  }
  return text;
}

std::string tables::chain() const {
  const summaries rows = those([](const point& p) { return p.op == "handoff_chain"; });
  if (rows.empty()) return {};
  columns table({{"form", left},
                 {"scope", left},
                 {"ns/handoff", right},
                 {"published ns", right},
                 {"over ptx device", right},
                 {"95 % interval", right},
                 {"published", right},
                 {"ours/theirs", right},
                 {"polls", right},
                 {"old messages", right},
                 {"", left}});
  const double reference_ms = *published_ms(
      point{.scope = scope::device, .flavour = flavour::ptx, .order = order::acq_rel});
  for (const point_summary* s : rows) {
    const handoff_seen seen = seen_by_visits(file_, *s);
    const auto ms = published_ms(s->what);
    const visit_ratio ratio = over_reference(*s, rows);
    const bool compares = ms && ratio.visits > 0;
    table.row({form_text(s->what), std::string(to_text(s->what.scope)), cost_text(*s),
               ms ? nanoseconds(*ms * 1e6 / published_warps) : "", ratio_cell(*s, rows),
               bounds_text(ratio), ms ? fmt::format("{:.3g}", *ms / reference_ms) : "",
               compares ? fmt::format("{:.3f}", ratio.ratio.value / (*ms / reference_ms)) : "",
               polls_text(seen), old_text(seen), status_text(*s)});
  }
  return "\nReproduction: one-shot chain, every warp of a grid waits once for one flag\n" +
         table.text() +
         "  published: by the article's program on an H200, 2^20 warps in blocks of 1024 threads; "
         "here the difference of two lengths\n"
         "  The chain relies on blocks starting in order, which CUDA does not promise; with scope "
         "block it goes from one block to the next at device scope\n";
}

}  // namespace

std::string handoff_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != "handoff") return {};
  return tables(file, points).text();
}

}  // namespace syncmeter
