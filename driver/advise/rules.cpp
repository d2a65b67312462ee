#include "driver/advise/rules.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/cuda_rules.hpp"
#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/kernel_rules.hpp"
#include "driver/advise/lock_rules.hpp"
#include "driver/advise/meeting_rules.hpp"
#include "driver/advise/memory_samples.hpp"
#include "driver/advise/piece_rules.hpp"
#include "driver/advise/run_alone.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/turn_rules.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr auto all_rules = std::to_array<advice_rule>({
#define SM_RULE(name, title, is_of_setting, is_of_waits, study)                                    \
  {#name, title, is_of_setting, is_of_waits, study},
#include "driver/advise/rules.def"
});

/// Null: of no row.
const advice_rule* find_rule(std::string_view name) {
  const auto* const found = std::ranges::find(all_rules, name, &advice_rule::name);
  return found == all_rules.end() ? nullptr : found;
}

bool is_of_waits(const advice& of) {
  const advice_rule* const rule = find_rule(of.rule);
  return rule != nullptr && rule->is_of_waits;
}

/// What comes first is greater. Bounds that are the run do not tell which cause takes more of it.
std::tuple<bool, double, double> rank_of(const advice& of) {
  return {is_of_setting(of.rule), of.is_bound_by_run() ? 1 : of.share_of_run(), of.seen_share};
}

/// "launches at most 99 %".
std::string seen_text(const advice& of) {
  const double percent = 100 * of.seen_share;
  if (percent == 0) return of.rule + " not known";
  return fmt::format("{} {}{}", of.rule, of.seen_share < of.share_of_run() ? "" : "at most ",
                     percent < 1 ? "less than 1 %" : fmt::format("{:.0f} %", percent));
}

/// At the first cause whose bound is the run: by what it comes before those of other rules, of each
/// of which the first one has most.
void name_order_of_runs(std::vector<advice>& ranked) {
  const auto is_one = [](const advice& each) {
    return !is_of_setting(each.rule) && each.is_bound_by_run();
  };
  const auto first = std::ranges::find_if(ranked, is_one);
  const auto end = std::find_if_not(first, ranked.end(), is_one);
  std::set<std::string_view> rules;
  std::vector<std::string> seen;
  for (const advice& each : std::span(first, end))
    if (rules.insert(each.rule).second) seen.push_back(seen_text(each));
  if (seen.size() < 2) return;
  first->text +=
      fmt::format(" Where each bound is nearly the run, causes are ranked by the share of "
                  "a run that a thread spends in each: {}.",
                  join(seen, ", "));
}

/// To wait takes longer in one run than in another, and the work of a thread hardly does: what
/// another run takes more than the one that the seconds are of may be saved, too.
void extend_to_longest_run(advice& each, const advice_setting& setting) {
  const double longest_s = setting.plain_wall_s.high;
  const double of_s = each.run_s > 0 ? each.run_s : setting.wall_s;
  const double more_s = longest_s - of_s;
  if (each.of_plain_runs || more_s < least_worth_saying * of_s || !is_of_waits(each)) return;
  each.at_most_s += more_s;
  each.run_s = longest_s;
  each.text += fmt::format(" Threads may wait longer in another run: of the longest run as it is, "
                           "{}, that is at most {}.",
                           seconds_text(longest_s), seconds_text(each.at_most_s));
}

/// Whether one thread begins all regions, and nobody starts others beside it, so that what is saved
/// in one team's meetings adds up.
bool is_one_path(const std::vector<site>& sites) {
  return std::ranges::none_of(sites, [](const site& of) {
    return (of.kind == "region" && of.threads > 1) || (of.kind == "create" && !is_of_openmp(of));
  });
}

/// What all sites of `advices` take in each timed run.
std::vector<site_cost> cost_in_runs(const std::vector<const advice*>& advices,
                                    const std::vector<site>& sites, double wall_s) {
  std::vector<site_cost> all;
  for (const advice* each : advices) {
    const site& of = sites[each->site_id - 1];
    auto of_site = of.cost_of_runs;
    if (of_site.empty()) of_site.push_back(cost_of(of).value_or(site_cost{}));
    for (std::size_t i = 0; i < of_site.size(); ++i) {
      if (of_site[i].run == 0) of_site[i].run = i + 1;
      if (of_site[i].wall_s == 0) of_site[i].wall_s = wall_s;
    }
    add_cost_of_runs(of_site, all);
  }
  return undisturbed_runs(all);
}

/// A fix of one site may be that of all: the first one has what they save together, in one run.
void name_sum(std::vector<advice>& all, std::string_view rule, const std::vector<site>& sites,
              const advice_setting& setting) {
  std::vector<const advice*> parts;
  advice* first = nullptr;
  for (advice& each : all) {
    if (each.rule != rule) continue;
    if (first == nullptr) first = &each;
    parts.push_back(&each);
  }
  // By counts alone each may save all of the run.
  if (parts.size() < 2 || std::ranges::any_of(parts, &advice::of_plain_runs)) return;
  const run_waits most = longest_waits(
      cost_in_runs(parts, sites, setting.wall_s),
      [](const site_cost& run) { return run.in_all_s(); }, setting.plain_wall_s.high);
  advice sum{
      .rule = std::string(rule), .site_id = 0, .at_most_s = most.waits_s, .run_s = most.run_s};
  const unsigned team = sites[first->site_id - 1].team;
  const bool adds_up =
      team != 0 && is_one_path(sites) && std::ranges::all_of(parts, [&](const advice* each) {
        return sites[each->site_id - 1].team == team;
      });
  for (const advice* each : parts) {
    // Beside what threads wait there is what each adds to the result behind its part.
    const site& of = sites[each->site_id - 1];
    sum.at_most_s += reduction_share(of, sites) * setting.wall_s;
    sum.at_least_s =
        adds_up ? sum.at_least_s + each->at_least_s : std::max(sum.at_least_s, each->at_least_s);
  }
  sum.at_most_s = std::min(sum.at_most_s, sum.run_s);
  sum.at_least_s = std::min(sum.at_least_s, sum.at_most_s);
  first->with_others = {
      .sites = parts.size(), .low_s = sum.at_least_s, .high_s = sum.at_most_s, .run_s = sum.run_s};
  first->text += fmt::format(" A change of all {} sites of {} in this list {}.", parts.size(), rule,
                             saving_text(sum));
}

}  // namespace

std::span<const advice_rule> advice_rules() { return all_rules; }

std::string_view study_of(std::string_view rule) {
  const advice_rule* const row = find_rule(rule);
  return row == nullptr ? "" : row->study;
}

bool is_of_setting(std::string_view rule) {
  const advice_rule* const row = find_rule(rule);
  return row != nullptr && row->is_of_setting;
}

std::string_view title_of(std::string_view rule) {
  const advice_rule* const row = find_rule(rule);
  return row == nullptr ? rule : row->title;
}

advice_setting setting_of_run() {
  const cpu_grant grant = read_cpu_grant();
  const auto pus = static_cast<double>(grant.allowed.size());
  return {.usable_pus = grant.quota_cpus ? std::min(pus, *grant.quota_cpus) : pus,
          .sleeps = has_passive_waits(),
          .allowed_pus = pus};
}

bool is_in_advice(const std::vector<advice>& advices, std::size_t id) {
  return std::ranges::any_of(advices, [&](const advice& each) {
    return each.site_id == id || std::ranges::find(each.more_ids, id) != each.more_ids.end();
  });
}

std::string saving_text(const advice& of) {
  return fmt::format("saves {} of {}{}",
                     of.at_least_s > 0 ? range_text(of.at_least_s, of.at_most_s)
                                       : "at most " + seconds_text(of.at_most_s),
                     seconds_text(of.run_s), of.kind == "may_cost" ? ", or takes longer" : "");
}

std::vector<advice> advise_on(const std::vector<site>& sites, const advice_setting& setting,
                              std::vector<std::string>& notes) {
  const double wall_s = setting.wall_s;
  const meeting_pace pace = pace_of(sites, wall_s);
  std::vector<advice> all = advise_on_locks(sites, setting);
  const double longest_s = std::max(wall_s, setting.plain_wall_s.high);
  std::ranges::move(advise_on_atomics(sites, longest_s), std::back_inserter(all));
  std::ranges::move(advise_on_turns(sites, setting, all), std::back_inserter(all));
  // What may be saved of a GPU's time was timed there as a whole: all of the bound.
  const auto add_of_gpu = [&all](std::vector<advice> found) {
    for (advice& each : found) each.seen_share = 1;
    std::ranges::move(found, std::back_inserter(all));
  };
  add_of_gpu(advise_on_cuda(sites, setting, notes));
  add_of_gpu(advise_on_forms(sites, setting));
  add_of_gpu(advise_on_kernels(sites, setting, notes));
  std::ranges::move(advise_on_pieces(sites, setting, pace), std::back_inserter(all));
  std::ranges::move(advise_on_meetings(sites, setting, pace, notes), std::back_inserter(all));
  for (advice& each : all) {
    assert(find_rule(each.rule) != nullptr);
    extend_to_longest_run(each, setting);
    if (each.run_s == 0)
      each.run_s =
          each.of_plain_runs && setting.plain_wall_s.high > 0 ? setting.plain_wall_s.high : wall_s;
    bound_by_run_alone(each, sites, setting);
    // Streams of a GPU that work at once may take more together.
    each.at_most_s = std::min(each.at_most_s, each.run_s);
    each.at_least_s = std::min(each.at_least_s, each.run_s);
    each.seen_share =
        std::min(std::max(each.seen_share, each.at_least_s / each.run_s), each.share_of_run());
  }
  std::erase_if(all, [](const advice& a) { return a.share_of_run() < least_worth_saying; });
  std::ranges::stable_sort(all, std::ranges::greater{}, rank_of);
  name_order_of_runs(all);
  for (const std::string_view rule : {"regions", "barriers"}) name_sum(all, rule, sites, setting);
  return all;
}

}  // namespace syncmeter
