#include "driver/advise/rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/cuda_rules.hpp"
#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/kernel_rules.hpp"
#include "driver/advise/lock_rules.hpp"
#include "driver/advise/meeting_rules.hpp"
#include "driver/advise/piece_rules.hpp"
#include "driver/advise/turn_rules.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Their cause is how the program is set up, whatever its sites are.
constexpr std::array<std::string_view, 3> rules_of_setting{"oversubscription", "nested",
                                                           "sleeping"};
/// Their seconds are what threads wait for each other in one timed run, or take by a price in a
/// plain one. Threads that meet have their bound over all runs from their own rules.
constexpr std::array<std::string_view, 11> rules_of_waits{
    "handoffs", "ordered", "yields",  "threads", "signals",         "section",
    "readers",  "locks",   "padding", "chunks",  "oversubscription"};

/// To wait takes longer in one run than in another, and the work of a thread hardly does: what
/// another run takes more than the one that the seconds are of may be saved, too.
void extend_to_longest_run(advice& each, const advice_setting& setting) {
  const double longest_s = setting.plain_wall_s.high;
  const double of_s = each.run_s > 0 ? each.run_s : setting.wall_s;
  const double more_s = longest_s - of_s;
  if (each.of_plain_runs || more_s < least_worth_saying * of_s ||
      !contains(rules_of_waits, std::string_view(each.rule)))
    return;
  each.at_most_s += more_s;
  each.run_s = longest_s;
  each.text += fmt::format(" Threads may wait longer in another run: of the longest run as it is, "
                           "{}, that is at most {}.",
                           seconds_text(longest_s), seconds_text(each.at_most_s));
}

/// A fix of one site may be that of all: the first one has what they save together.
void name_sum(std::vector<advice>& all, std::string_view rule) {
  advice* first = nullptr;
  advice sum{.rule = std::string(rule), .site_id = 0};
  std::size_t sites = 0;
  for (advice& each : all) {
    if (each.rule != rule) continue;
    if (first == nullptr) first = &each;
    sum.at_least_s += each.at_least_s;
    sum.at_most_s += each.at_most_s;
    ++sites;
  }
  if (sites < 2) return;
  sum.run_s = first->run_s;
  sum.at_most_s = std::min(sum.at_most_s, sum.run_s);
  sum.at_least_s = std::min(sum.at_least_s, sum.at_most_s);
  first->text += fmt::format(" A change of all {} sites of {} in this list {}.", sites, rule,
                             saving_text(sum));
}

}  // namespace

advice_setting setting_of_run() {
  const cpu_grant grant = read_cpu_grant();
  const auto pus = static_cast<double>(grant.allowed.size());
  return {.usable_pus = grant.quota_cpus ? std::min(pus, *grant.quota_cpus) : pus,
          .sleeps = has_passive_waits()};
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
  std::set<std::size_t> signalled;
  for (const advice& each : all)
    if (each.rule == "signals") signalled.insert(each.site_id);
  std::ranges::move(advise_on_turns(sites, setting, signalled), std::back_inserter(all));
  std::ranges::move(advise_on_cuda(sites, setting, notes), std::back_inserter(all));
  std::ranges::move(advise_on_forms(sites, setting), std::back_inserter(all));
  std::ranges::move(advise_on_kernels(sites, setting, notes), std::back_inserter(all));
  std::ranges::move(advise_on_pieces(sites, setting, pace), std::back_inserter(all));
  std::ranges::move(advise_on_meetings(sites, setting, pace, notes), std::back_inserter(all));
  std::erase_if(all, [&](const advice& a) { return a.at_most_s < least_worth_saying * wall_s; });
  for (advice& each : all) {
    extend_to_longest_run(each, setting);
    if (each.run_s == 0)
      each.run_s =
          each.of_plain_runs && setting.plain_wall_s.high > 0 ? setting.plain_wall_s.high : wall_s;
    // Streams of a GPU that work at once may take more together.
    each.at_most_s = std::min(each.at_most_s, each.run_s);
    each.at_least_s = std::min(each.at_least_s, each.run_s);
  }
  const auto is_of_setting = [](const advice& a) {
    return contains(rules_of_setting, std::string_view(a.rule));
  };
  std::ranges::stable_sort(all, [&](const advice& a, const advice& b) {
    return std::pair(is_of_setting(a), a.share_of_run()) >
           std::pair(is_of_setting(b), b.share_of_run());
  });
  for (const std::string_view rule : {"regions", "barriers"}) name_sum(all, rule);
  return all;
}

}  // namespace syncmeter
