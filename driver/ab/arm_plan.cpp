#include "driver/ab/arm_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "driver/census/rule/census_diff.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

constexpr std::string_view wait_variable = "OMP_WAIT_POLICY=";

/// Returns the wait policy in an arm's environment.
std::optional<wait_policy> wait_in(const build_arm& arm) {
  std::optional<wait_policy> found;
  for (const std::string& setting : arm.environment)
    if (setting.starts_with(wait_variable))
      found =
          names_of_axis<wait_policy>{"wait policy"}("--env", setting.substr(wait_variable.size()))
              .front();
  return found;
}

std::vector<worker_info> workers_of(const build_arm& arm) {
  std::vector<worker_info> usable;
  std::set<std::string> taken;
  for (worker_info& worker : workers_at(arm.path, arm.environment)) {
    if (!worker.problem.empty()) {
      print_message(fmt::format("{}: {} is left out: {}", arm.name, worker.path, worker.problem));
      continue;
    }
    for (const std::string& backend : std::vector(worker.backends))
      if (!taken.insert(backend).second) worker.take_away(backend);
    read_census(worker);
    usable.push_back(std::move(worker));
  }
  if (usable.empty())
    throw usage_error(fmt::format("ab: there is no worker (syncmeter-*) that can be used in {}",
                                  quote(arm.path)));
  return usable;
}

// Copies in_quick from the other build, because an older build does not report it. An op left out
// by one build would seem to exist only in the other.
void leave_out_of_quick(std::vector<worker_info>& workers, const std::vector<worker_info>& others) {
  std::set<std::pair<std::string, std::string>> left_out;
  for (const worker_info& worker : others)
    for (const capability& c : worker.capabilities)
      if (!c.in_quick) left_out.emplace(c.backend, c.op);
  for (worker_info& worker : workers)
    for (capability& c : worker.capabilities)
      if (left_out.contains({c.backend, c.op})) c.in_quick = false;
}

bool has_op(const std::vector<worker_info>& workers, const std::string& pattern) {
  return std::ranges::any_of(workers, [&](const worker_info& worker) {
    return std::ranges::any_of(worker.capabilities,
                               [&](const capability& c) { return fits(pattern, c.op); });
  });
}

// An op that only the other build has is not a user's mistake.
campaign_plan plan_of_arm(run_options options, const build_arm& arm,
                          const std::vector<worker_info>& workers,
                          const std::vector<worker_info>& others, const topology& machine,
                          const cpu_grant& grant) {
  if (const auto wait = wait_in(arm)) {
    if (!options.waits.empty())
      throw usage_error("--wait: cannot be combined with OMP_WAIT_POLICY in --env-a or --env-b");
    options.waits = {*wait};
  }
  const bool any_named = !options.ops.empty();
  std::erase_if(options.ops, [&](const std::string& pattern) {
    return !has_op(workers, pattern) && has_op(others, pattern);
  });
  if (any_named && options.ops.empty()) return {};
  return make_plan(options, workers, machine, grant);
}

/// A point of one arm's plan, and the point that is measured instead.
struct place {
  std::size_t index = 0;
  bool direct = true;
  point what;
};

std::map<std::string, place> places_in(const campaign_plan& plan, const compared_arms& arms) {
  std::map<std::string, place> found;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const planned_point& planned = plan.points[i];
    found.emplace(arm_key(planned.what, arms), place{i, true, planned.what});
    for (const point& same : planned.same_as)
      found.emplace(arm_key(same, arms), place{i, false, same});
  }
  return found;
}

planned_point planned_at(const campaign_plan& plan, const place& at,
                         const std::set<std::string>& measured, const compared_arms& arms) {
  planned_point planned = plan.points[at.index];
  if (!at.direct) planned.same_as.clear();
  planned.what = at.what;
  std::erase_if(planned.same_as,
                [&](const point& same) { return measured.contains(arm_key(same, arms)); });
  return planned;
}

/// The loops of the points' entries, from one disassembler run per worker.
class loops_of_build {
 public:
  explicit loops_of_build(const std::vector<worker_info>& workers) : workers_(workers) {}

  void add(const point& p) {
    for (const worker_info& worker : workers_) {
      const capability* const what = entry_of(p, worker);
      if (what == nullptr) continue;
      add_once(wanted_[&worker], what);
      entry_by_point_[canonical(p)] = what;
    }
  }

  void read() {
    for (const auto& [worker, entries] : wanted_) {
      std::vector<capability> copies;
      for (const capability* each : entries) copies.push_back(*each);
      std::vector<census_entry> census = take_census(worker->path, copies, true);
      for (std::size_t i = 0; i < std::min(census.size(), entries.size()); ++i)
        loops_.emplace(entries[i], std::move(census[i]));
    }
  }

  /// Returns nullptr without loops.
  [[nodiscard]] const census_entry* of(const point& p) const {
    const auto entry = entry_by_point_.find(canonical(p));
    if (entry == entry_by_point_.end()) return nullptr;
    const auto found = loops_.find(entry->second);
    return found == loops_.end() ? nullptr : &found->second;
  }

 private:
  const std::vector<worker_info>& workers_;
  std::map<const worker_info*, std::vector<const capability*>> wanted_;
  std::map<std::string, const capability*> entry_by_point_;
  std::map<const capability*, census_entry> loops_;
};

bool calls(const loop_code& loop) {
  return std::ranges::any_of(loop.lines,
                             [](const loop_line& line) { return line.shape.starts_with("call"); });
}

bool are_equal(const census_entry* a, const census_entry* b, bool additivity) {
  if (a == nullptr || b == nullptr) return false;
  const std::size_t measured = additivity ? a->loops.size() : 2;
  for (std::size_t i = 0; i < measured; ++i) {
    const loop_code &in_a = a->loops[i], &in_b = b->loops[i];
    if (in_a.lines.empty() || in_b.lines.empty() || calls(in_a) || calls(in_b)) return false;
    if (compare_loops(in_a.lines, in_b.lines).what != change::none) return false;
  }
  return true;
}

/// Returns for each pair of points, from workers `a` and `b`, whether all measured loops are equal.
/// Ignores register names, addresses and labels. Returns false for unreadable code and for loops
/// with calls, because the called code may differ.
std::vector<bool>
equal_code(const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
           const std::vector<worker_info>& a, const std::vector<worker_info>& b) {
  loops_of_build of_a(a), of_b(b);
  for (const auto& [in_a, in_b] : pairs) {
    of_a.add(in_a->what);
    of_b.add(in_b->what);
  }
  auto reading = std::async(std::launch::async, [&of_a] { of_a.read(); });
  of_b.read();
  reading.get();
  std::vector<bool> equal;
  for (const auto& [in_a, in_b] : pairs)
    equal.push_back(
        are_equal(of_a.of(in_a->what), of_b.of(in_b->what), in_a->additivity || in_b->additivity));
  return equal;
}

}  // namespace

std::array<std::vector<worker_info>, 2> workers_of_arms(compared_arms& arms) {
  std::array<std::vector<worker_info>, 2> workers{workers_of(arms.arms[0]),
                                                  workers_of(arms.arms[1])};
  for (const std::size_t i : {0U, 1U}) leave_out_of_quick(workers[i], workers[1 - i]);
  const auto is_one = [&](std::size_t i) {
    return !std::filesystem::is_directory(arms.arms[i].path) &&
           workers[i].front().backends.size() == 1;
  };
  arms.any_backend = is_one(0) && is_one(1);
  arms.any_wait = wait_in(arms.arms[0]) || wait_in(arms.arms[1]);
  return workers;
}

std::vector<worker_info> in_arms(const std::array<std::vector<worker_info>, 2>& workers,
                                 const compared_arms& arms) {
  std::vector<worker_info> all;
  for (std::size_t i = 0; i < 2; ++i) {
    for (worker_info worker : workers[i]) {
      worker.arm = arms.arms[i].name;
      worker.environment = arms.arms[i].environment;
      all.push_back(std::move(worker));
    }
  }
  return all;
}

campaign_plan join_plans(std::array<campaign_plan, 2> plans, compared_arms arms,
                         const std::array<std::vector<worker_info>, 2>& workers,
                         code_comparison equal) {
  const std::array<std::map<std::string, place>, 2> places{places_in(plans[0], arms),
                                                           places_in(plans[1], arms)};
  // In the order of the first plan.
  std::vector<std::string> order;
  for (const planned_point& planned : plans[0].points) {
    order.push_back(arm_key(planned.what, arms));
    for (const point& same : planned.same_as) order.push_back(arm_key(same, arms));
  }
  std::array<std::vector<std::string>, 2> only;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const auto& [key, at] : places[i])
      if (!places[1 - i].contains(key)) only[i].push_back(canonical(at.what));
  }
  // Each arm may have merged a point that the other arm measures.
  const auto host_is_shared = [&](std::size_t arm, const place& at) {
    return places[1 - arm].contains(arm_key(plans[arm].points[at.index].what, arms));
  };
  std::set<std::string> measured;
  for (const auto& [key, at] : places[0]) {
    const auto other = places[1].find(key);
    if (other == places[1].end()) continue;
    if (at.direct || other->second.direct || !host_is_shared(0, at) ||
        !host_is_shared(1, other->second))
      measured.insert(key);
  }
  std::vector<std::array<planned_point, 2>> pairs;
  std::set<std::string> done;
  for (const std::string& key : order) {
    if (!measured.contains(key) || !done.insert(key).second) continue;
    pairs.push_back({planned_at(plans[0], places[0].at(key), measured, arms),
                     planned_at(plans[1], places[1].at(key), measured, arms)});
    pairs.back()[1].stage = pairs.back()[0].stage;
  }
  const std::size_t before = pairs.size();
  if (!arms.all && arms.arms[0].environment == arms.arms[1].environment) {
    std::vector<std::pair<const planned_point*, const planned_point*>> compared;
    for (const auto& [a, b] : pairs) compared.emplace_back(&a, &b);
    const std::vector<bool> is_equal = equal(compared, workers[0], workers[1]);
    std::vector<std::array<planned_point, 2>> different;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (is_equal[i]) arms.equal += 1 + pairs[i][0].same_as.size();
      else different.push_back(std::move(pairs[i]));
    pairs = std::move(different);
  }

  campaign_plan plan = std::move(plans[0]);
  const double share =
      before == 0 ? 0 : static_cast<double>(pairs.size()) / static_cast<double>(before);
  plan.predicted_s = share * (plan.predicted_s + plans[1].predicted_s);
  plan.worker_starts += plans[1].worker_starts;
  plan.points.clear();
  for (refused_point& refused : plan.refused) refused.what.arm = arms.arms[0].name;
  for (refused_point& refused : plans[1].refused) {
    refused.what.arm = arms.arms[1].name;
    plan.refused.push_back(std::move(refused));
  }
  for (auto& pair : pairs) {
    plan.pairs.push_back({plan.points.size(), plan.points.size() + 1});
    for (std::size_t i = 0; i < 2; ++i) {
      pair[i].what.arm = arms.arms[i].name;
      for (point& same : pair[i].same_as) same.arm = arms.arms[i].name;
      plan.points.push_back(std::move(pair[i]));
    }
  }
  arms.only = std::move(only);
  plan.arms = std::move(arms);
  return plan;
}

campaign_plan plan_arms(const run_options& options, compared_arms arms,
                        const std::array<std::vector<worker_info>, 2>& workers,
                        const topology& machine, const cpu_grant& grant) {
  arms.equal = 0;
  std::array<campaign_plan, 2> plans;
  for (std::size_t i = 0; i < 2; ++i)
    plans[i] = plan_of_arm(options, arms.arms[i], workers[i], workers[1 - i], machine, grant);
  return join_plans(std::move(plans), std::move(arms), workers, &equal_code);
}

}  // namespace syncmeter
