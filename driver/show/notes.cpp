// The notes below a table: failures first, then conditions for the figures.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/machine/environment.hpp"
#include "core/machine/topology.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/results/estimate.hpp"
#include "driver/results/headline.hpp"
#include "driver/show/table.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// For more lines of one kind, the CSV serves a reader better.
constexpr std::size_t most_lines = 8;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Adds a line for each of the first few, then how many more.
void add_some(std::vector<std::string>& notes, const std::vector<std::string>& lines) {
  notes.insert(notes.end(), lines.begin(),
               lines.begin() + static_cast<std::ptrdiff_t>(std::min(most_lines, lines.size())));
  if (lines.size() > most_lines)
    notes.push_back(fmt::format("... and {} more; --csv writes all", lines.size() - most_lines));
}

void add_left_out(std::vector<std::string>& notes, const results_file& file) {
  std::vector<std::string> lines;
  for (const std::string& line : file.left_out) lines.push_back("left out: " + line);
  add_some(notes, lines);
}

void add_failures(std::vector<std::string>& notes, const std::vector<point_summary>& points) {
  for (const status wanted :
       {status::failed, status::timeout, status::too_slow, status::interferes, status::noisy}) {
    std::vector<std::string> lines;
    for (const point_summary& s : points) {
      if (s.status != wanted || !s.measured_as.empty()) continue;
      lines.push_back(fmt::format("{}: {}: {}", to_text(wanted), short_name(s.what), s.reason));
    }
    // A wrong result is never cut short.
    if (wanted == status::failed) notes.insert(notes.end(), lines.begin(), lines.end());
    else add_some(notes, lines);
  }
}

void add_additivity(std::vector<std::string>& notes, const std::vector<point_summary>& points) {
  std::size_t checked = 0, adds_up = 0;
  for (const point_summary& s : points) {
    if (!s.additive || !s.measured_as.empty()) continue;
    ++checked;
    adds_up += *s.additive ? 1U : 0U;
  }
  if (checked != 0)
    notes.push_back(fmt::format("additivity: 2 and 4 operations cost 2 and 4 times one operation "
                                "at {} of {} configurations",
                                adds_up, checked));
}

// Prints ops with the same reason on one line.
void add_refused(std::vector<std::string>& notes, const std::vector<point_summary>& points) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> ops_by_reason;
  for (const point_summary& s : points) {
    if (s.status != status::unsupported && s.status != status::elided) continue;
    std::string name = s.what.op;
    if (s.what.order != order::unordered && s.status == status::elided)
      name += fmt::format(" {}", to_text(s.what.order));
    auto& ops =
        ops_by_reason[{std::string(status_words(s.status)), s.what.backend + ": " + s.reason}];
    add_once(ops, name);
  }
  for (const auto& [key, ops] : ops_by_reason)
    notes.push_back(fmt::format("{} in {}: {}", key.first, key.second, join(ops)));
}

void add_merged(std::vector<std::string>& notes, const results_file& file) {
  std::map<std::string, std::size_t> by_reason;
  std::vector<std::string> other_cells;
  for (const same_point& same : file.same) {
    ++by_reason[same.why];
    const point& what = same.what;
    point measured_as = same.measured_as;
    const std::string measured = short_name(measured_as);
    measured_as.affinity = what.affinity;
    const bool has_row = std::tie(what.op, what.type, what.order) !=
                         std::tie(measured_as.op, measured_as.type, measured_as.order);
    if (!has_row && !(what == measured_as))
      other_cells.push_back(fmt::format("measured once: {} is {}", short_name(what), measured));
  }
  for (const auto& [why, n] : by_reason)
    notes.push_back(
        fmt::format("configurations measured once together with an equal one: {} ({})", n, why));
  add_some(notes, other_cells);
}

void add_states(std::vector<std::string>& notes, const results_file& file) {
  const state_classes classes(file);
  std::map<std::pair<unsigned, bool>, double> rounds;
  double kept = 0, busy = 0;
  for (const visit_record& visit : file.visits) {
    for (const estimate_record& e : visit.estimates) {
      const auto n = static_cast<double>(e.rounds);
      rounds[{classes.of(e, visit.point.lanes), e.busy}] += n;
      kept += n;
      busy += e.busy ? n : 0;
    }
  }
  const bool several = std::ranges::any_of(rounds, [](const auto& r) { return r.first.first > 0; });
  if (several) {
    std::vector<std::string> shares;
    for (const auto& [key, n] : rounds) {
      shares.push_back(fmt::format("{} {} {:.0f} %", key.first, key.second ? "busy" : "quiet",
                                   percent(n, kept)));
    }
    // The probe cannot separate the host's placement of two PUs from their distance.
    const std::string of_pairs =
        file.campaign.contains("units") ? "; between different CPUs also by their distance" : "";
    notes.push_back("vCPU placements (0 is the fastest), by sample pairs: " + join(shares) +
                    of_pairs);
  }
  if (busy > 0)
    notes.push_back(fmt::format("busy: in {:.1f} % of the sample pairs kept, a core was shared or "
                                "slowed down (quiet probe)",
                                percent(busy, kept)));
}

void add_revisits(std::vector<std::string>& notes, const results_file& file) {
  const auto again = std::ranges::count(file.visits, true, &visit_record::again);
  if (again == 0) return;
  const auto quiet = quiet_visits(file);
  const auto lacking = std::ranges::count_if(
      quiet, [](const auto& of_point) { return of_point.second < enough_visits; });
  notes.push_back(fmt::format(
      "{} repetitions beyond the plan, to configurations whose threads were seldom left "
      "alone; {} configurations still have fewer than {} quiet repetitions",
      again, lacking, enough_visits));
}

void add_drops(std::vector<std::string>& notes, const results_file& file) {
  std::map<std::string, double> drops;
  double taken = 0;
  for (const visit_record& visit : file.visits) {
    taken += static_cast<double>(visit.rounds_taken);
    for (const auto& [why, n] : visit.drops)
      if (n > 0) drops[why] += static_cast<double>(n);
  }
  std::vector<std::string> parts;
  for (const auto& [why, n] : drops)
    parts.push_back(fmt::format("{} {:.1f} %", why, percent(n, taken)));
  if (!parts.empty()) notes.push_back("sample pairs dropped: " + join(parts));
}

// Describes the last run of a campaign, without the time before a --resume.
void add_time(std::vector<std::string>& notes, const results_file& file) {
  if (!file.end.is_object()) return;
  const json wall_ns = file.end.value("wall_ns", json()),
             timed_ns = file.end.value("timed_ns", json());
  if (!wall_ns.is_number() || !timed_ns.is_number()) return;
  notes.push_back(fmt::format("{:.3g} s in all, {:.0f} % of it inside timed loops and probes",
                              wall_ns.get<double>() * 1e-9,
                              percent(timed_ns.get<double>(), wall_ns.get<double>())));
}

void add_completeness(std::vector<std::string>& notes, const results_file& file) {
  const std::string reason = file.end.is_object() ? text_in(file.end, "reason") : "cut off";
  if (reason == "complete" || reason.empty()) return;
  if (file.end.is_object()) {
    for (const json& sentence : file.end.value("missing", json::array()))
      if (sentence.is_string()) notes.push_back(sentence.get<std::string>());
  }
  notes.push_back(fmt::format("not complete ({}{}): continue with `syncmeter {} --resume {}`",
                              reason, file.torn ? ", incomplete last line" : "",
                              file.campaign.contains("ab") ? "ab" : "run", file.path));
}

// Returns " (same L3)" for a named pair.
std::string pair_class_text(const planned_point& p, const topology* machine) {
  if (machine == nullptr || p.what.pus.size() != 2) return "";
  std::vector<const processing_unit*> pair;
  for (const int pu : p.what.pus) {
    const auto found = std::ranges::find(machine->units(), pu, &processing_unit::os);
    if (found != machine->units().end()) pair.push_back(&*found);
  }
  return pair.size() < 2
             ? ""
             : fmt::format(" ({})", to_text(class_of(*pair[0], *pair[1]), machine->kinds() > 1));
}

}  // namespace

summary_notes_of summary_notes(const results_file& file, const std::vector<point_summary>& points) {
  std::vector<std::string> notes;
  add_left_out(notes, file);
  add_failures(notes, points);
  add_completeness(notes, file);
  if (file.campaign.contains("machine"))
    for (const std::string& sentence : caveats(file.campaign.at("machine")))
      notes.push_back(sentence);
  for (const char* kind : {"lane_notes", "gpu_notes"}) {
    for (const json& note : file.campaign.value(kind, json::array()))
      if (note.is_string()) notes.push_back(note.get<std::string>());
  }
  const std::size_t urgent = notes.size();
  add_states(notes, file);
  add_revisits(notes, file);
  add_drops(notes, file);
  add_additivity(notes, points);
  add_merged(notes, file);
  add_refused(notes, points);
  add_time(notes, file);
  return {std::move(notes), urgent};
}

std::string notes_text(const results_file& file, const std::vector<point_summary>& points,
                       bool verbose, page_style style) {
  const summary_notes_of notes = summary_notes(file, points);
  const std::size_t shown = verbose ? notes.all.size() : notes.urgent;
  std::string text = shown == 0 ? "" : "\n" + painted("Notes", "1", style.colour) + "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    // Users copy commands, so lines with a command are not wrapped.
    const std::string note = printable(notes.all[i]);
    const bool as_it_is = style.width == 0 || note.find('`') != std::string::npos;
    text += "- " + (as_it_is ? note : wrapped(note, 2, style.width)) + "\n";
  }
  const std::size_t more = notes.all.size() - shown;
  if (more != 0) text += fmt::format("\n{} more note{}: --verbose\n", more, more == 1 ? "" : "s");
  return text;
}

std::string plan_text(const campaign_plan& plan, const topology* machine) {
  std::string text;
  std::size_t merged = 0;
  for (const planned_point& p : plan.points) {
    const std::string where =
        p.device ? fmt::format("device {}", *p.device)
                 : fmt::format("CPUs {}{}", fmt::join(p.pus, ","), pair_class_text(p, machine));
    text += fmt::format("{}\n    on {}, {} repetitions{}\n", canonical(p.what), where, p.visits,
                        p.additivity ? ", additivity" : "");
    for (const point& same : p.same_as) text += fmt::format("    = {}\n", canonical(same));
    if (!p.same_as.empty()) text += fmt::format("    ({})\n", p.why);
    merged += p.same_as.size();
  }
  for (const refused_point& r : plan.refused)
    text += fmt::format("{}\n    {}: {}\n", canonical(r.what), r.status, r.reason);
  if (machine != nullptr)
    for (const std::string& note : placement_notes(plan, *machine)) text += "\n" + note + "\n";
  if (!plan.left_out.empty())
    text += "\n" + wrapped(fmt::format("Not in this study: {}", plan.left_out), 0) + "\n";
  const std::string equal =
      merged == 0 ? "" : ", which also cover " + count_text(merged, "equal one", "equal ones");
  return text +
         fmt::format("\nConfigurations to measure: {}{}; not supported: {}; about {:.3g} s\n",
                     plan.points.size(), equal, plan.refused.size(), plan.predicted_s);
}

}  // namespace syncmeter
