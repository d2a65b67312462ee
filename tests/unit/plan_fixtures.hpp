// Plans of made-up workers on synthetic machines.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "driver/plan/plan.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::fixtures {

inline cpu_grant all_of(const topology& machine) {
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return grant;
}

/// A worker of one backend, with rows of these ops alone, each made what `change` makes of it.
template <class Change>
worker_info worker_with(const std::string& backend, const std::vector<std::string>& ops,
                        const std::string& family, Change change) {
  worker_info worker = omp_worker();
  worker.name = backend;
  worker.backends = {backend};
  worker.capabilities.clear();
  for (const std::string& op : ops) {
    capability row;
    row.backend = backend;
    row.op = op;
    row.family = family;
    row.supported = true;
    row.communicates = true;
    change(row);
    worker.capabilities.push_back(row);
  }
  return worker;
}

inline campaign_plan plan_on(const std::string& machine_text, const run_options& options,
                             const std::vector<worker_info>& workers = {omp_worker()}) {
  const topology machine = topology::synthetic(machine_text);
  return make_plan(options, workers, machine, all_of(machine));
}

/// What this worker measures in a study, on two cores.
inline campaign_plan plan_of_study(const char* study, const worker_info& worker) {
  run_options options;
  options.study = study;
  options.backends = worker.backends;
  return plan_on("core:2 pu:1", options, {worker});
}

inline run_options with_ops(std::vector<std::string> ops, std::string study = "quick") {
  run_options options;
  options.study = std::move(study);
  options.ops = std::move(ops);
  return options;
}

inline std::string mistake(const run_options& options, const std::vector<worker_info>& workers) {
  try {
    (void)plan_on("core:2 pu:1", options, workers);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

inline std::vector<const planned_point*> points_of(const campaign_plan& plan,
                                                   const std::string& op) {
  std::vector<const planned_point*> found;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) found.push_back(&p);
  }
  return found;
}

/// The same without how they are planned.
inline std::vector<point> what_of(const campaign_plan& plan, const std::string& op) {
  std::vector<point> found;
  for (const planned_point* p : points_of(plan, op)) found.push_back(p->what);
  return found;
}

/// The values that points have on an axis: a member of point, or what is made of one.
template <class Axis> auto values(const std::vector<const planned_point*>& points, Axis axis) {
  std::set<std::decay_t<decltype(std::invoke(axis, points.front()->what))>> found;
  for (const planned_point* p : points) found.insert(std::invoke(axis, p->what));
  return found;
}

inline std::vector<std::string> texts(const campaign_plan& plan) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) {
    all.push_back(canonical(p.what));
    for (const point& same : p.same_as) all.push_back(canonical(same));
  }
  return all;
}

// What the user's measurement stands for, however it was merged: all points, each exactly once.
inline void expect_no_point_twice(const campaign_plan& plan) {
  const std::vector<std::string> all = texts(plan);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}
}  // namespace syncmeter::fixtures
