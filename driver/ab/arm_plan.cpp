#include "driver/ab/arm_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "driver/ab/equal_code.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/text/quote.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

constexpr std::string_view wait_variable = "OMP_WAIT_POLICY=";

/// The way of waiting that an arm's environment names.
std::optional<wait_policy> wait_in(const build_arm& arm) {
  std::optional<wait_policy> found;
  for (const std::string& setting : arm.environment) {
    if (setting.starts_with(wait_variable))
      found =
          names_of_axis<wait_policy>{"wait policy"}("--env", setting.substr(wait_variable.size()))
              .front();
  }
  return found;
}

std::vector<worker_info> workers_of(const build_arm& arm) {
  std::vector<worker_info> usable;
  std::set<std::string> taken;
  for (worker_info& worker : workers_at(arm.path, arm.environment)) {
    if (!worker.problem.empty()) {
      std::fprintf(stderr, "syncmeter: %s: %s is left out: %s\n", arm.name.c_str(),
                   printable(worker.path).c_str(), printable(worker.problem).c_str());
      continue;
    }
    for (const std::string& backend : std::vector(worker.backends)) {
      if (!taken.insert(backend).second) worker.take_away(backend);
    }
    read_census(worker);
    usable.push_back(std::move(worker));
  }
  if (usable.empty())
    throw usage_error(fmt::format("ab: there is no worker (syncmeter-*) that can be used in {}",
                                  quote(arm.path)));
  return usable;
}

bool has_op(const std::vector<worker_info>& workers, const std::string& pattern) {
  return std::ranges::any_of(workers, [&](const worker_info& worker) {
    return std::ranges::any_of(worker.capabilities,
                               [&](const capability& c) { return fits(pattern, c.op); });
  });
}

// What only the other build has is no mistake of the user's.
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

/// A point of one arm's plan, and the point that is measured in its place.
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

void put_in_arm(planned_point& planned, const std::string& arm) {
  planned.what.arm = arm;
  for (point& same : planned.same_as) same.arm = arm;
}

}  // namespace

std::array<std::vector<worker_info>, 2> workers_of_arms(compared_arms& arms) {
  std::array<std::vector<worker_info>, 2> workers{workers_of(arms.arms[0]),
                                                  workers_of(arms.arms[1])};
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
    for (const auto& [key, at] : places[i]) {
      if (!places[1 - i].contains(key)) only[i].push_back(canonical(at.what));
    }
  }
  // One arm may have merged what the other one measures.
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
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (is_equal[i]) arms.equal += 1 + pairs[i][0].same_as.size();
      else different.push_back(std::move(pairs[i]));
    }
    pairs = std::move(different);
  }

  campaign_plan plan = std::move(plans[0]);
  const double share =
      before == 0 ? 0 : static_cast<double>(pairs.size()) / static_cast<double>(before);
  plan.predicted_s = share * (plan.predicted_s + plans[1].predicted_s);
  plan.points.clear();
  for (refused_point& refused : plan.refused) refused.what.arm = arms.arms[0].name;
  for (refused_point& refused : plans[1].refused) {
    refused.what.arm = arms.arms[1].name;
    plan.refused.push_back(std::move(refused));
  }
  for (auto& pair : pairs) {
    plan.pairs.push_back({plan.points.size(), plan.points.size() + 1});
    for (std::size_t i = 0; i < 2; ++i) {
      put_in_arm(pair[i], arms.arms[i].name);
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
