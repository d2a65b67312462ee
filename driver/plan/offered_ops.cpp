#include "driver/plan/offered_ops.hpp"

#include <iterator>

#include <fmt/format.h>

#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

bool only_when_named(const std::string& backend) {
  const auto& all = known_backends();
  return std::ranges::any_of(
      all, [&](const known_backend& known) { return known.when_named && known.name == backend; });
}

bool is_compared(const std::string& backend, const std::string& study_name) {
  const study* const chosen = find_study(study_name);
  return chosen != nullptr && contains(chosen->also, backend);
}

// Returns the backends to measure without --backend.
std::vector<std::string> by_default(const std::vector<std::string>& usable,
                                    const std::string& study_name) {
  std::vector<std::string> chosen;
  std::ranges::copy_if(usable, std::back_inserter(chosen), [&](const std::string& backend) {
    return !only_when_named(backend) || is_compared(backend, study_name);
  });
  return chosen.empty() ? usable : chosen;
}

std::vector<offered_op> chosen_ops(const run_options& options,
                                   const std::vector<worker_info>& workers) {
  std::vector<std::string> usable;
  std::string problems;
  const auto add_problem = [&problems](const std::string& name, const std::string& problem) {
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", name, problem);
  };
  for (const worker_info& w : workers) {
    if (!w.problem.empty()) add_problem(w.name, w.problem);
    for (const std::string& backend : w.backends) {
      const std::string problem = problem_of(w, backend);
      if (problem.empty()) usable.push_back(backend);
      else if (w.problem.empty()) add_problem(backend, problem);
    }
  }
  const auto has_usable = [&](const worker_info& w) {
    return std::ranges::any_of(
        w.backends, [&](const std::string& backend) { return contains(usable, backend); });
  };
  for (const std::string& name : options.backends) {
    if (contains(usable, name)) continue;
    if (std::ranges::any_of(workers,
                            [&](const worker_info& w) { return w.name == name && has_usable(w); }))
      continue;
    const auto broken = std::ranges::find_if(workers, [&](const worker_info& w) {
      return !problem_of(w, name).empty() && (w.name == name || contains(w.backends, name));
    });
    if (broken == workers.end())
      throw usage_error(unknown_name("--backend", "backend", name, usable, "syncmeter list"));
    throw usage_error(fmt::format("--backend: '{}' cannot be used: {}; usable here: {}", name,
                                  problem_of(*broken, name),
                                  usable.empty() ? "none" : join(usable)));
  }
  if (usable.empty()) {
    throw usage_error(
        fmt::format("no backend can be used here{}{}; `syncmeter list` says what to install",
                    problems.empty() ? "" : ": ", problems));
  }
  const std::vector<std::string> wanted =
      options.backends.empty() ? by_default(usable, options.study) : options.backends;
  std::vector<offered_op> ops;
  for (const worker_info& w : workers) {
    for (const capability& row : w.capabilities) {
      if (!problem_of(w, row.backend).empty()) continue;
      if (!contains(wanted, row.backend) && !contains(wanted, w.name)) continue;
      auto found = std::ranges::find_if(ops, [&](const offered_op& op) {
        return op.backend == row.backend && op.name == row.op;
      });
      if (found == ops.end()) found = ops.insert(ops.end(), {row.backend, row.op, {}});
      found->rows.push_back(&row);
    }
  }
  return ops;
}

/// Throws usage_error for an unknown name. The values are looked up per op later.
void check_names(const run_options& options, const std::vector<offered_op>& ops) {
  std::vector<std::string> names;
  std::vector<value_type> types;
  for (const offered_op& op : ops) {
    add_once(names, op.name);
    for (const value_type type : op.types()) add_once(types, type);
  }
  for (const std::string& wanted : options.ops) {
    const bool known =
        std::ranges::any_of(names, [&](const auto& name) { return fits(wanted, name); });
    if (!known) throw usage_error(unknown_name("--op", "op", wanted, names, "syncmeter list"));
  }
  for (const value_type wanted : options.types) {
    if (contains(types, wanted)) continue;
    std::vector<std::string> allowed;
    for (const value_type type : types) allowed.emplace_back(to_text(type));
    throw usage_error(fmt::format("--type: no operation in use has the type '{}'; allowed: {}",
                                  to_text(wanted), join(allowed)));
  }
}

}  // namespace

std::vector<value_type> offered_op::types() const {
  std::vector<value_type> all;
  for (const capability* row : rows)
    if (row->type) add_once(all, *row->type);
  return all;
}

std::vector<order> offered_op::orders() const {
  std::vector<order> all;
  for (const capability* row : rows) add_once(all, row->order);
  return all;
}

std::vector<placement> offered_op::placements() const {
  std::vector<placement> all;
  for (const capability* row : rows)
    for (const placement p : row->placements) add_once(all, p);
  return all.empty() ? std::vector{placement::none} : all;
}

const capability* offered_op::row(const point& p) const {
  for (const capability* r : rows) {
    const bool here = r->placements.empty() ? p.placement == placement::none
                                            : contains(r->placements, p.placement);
    form f = form_of(p);
    f.placement = placement::none;
    const form has{.order = r->order,
                   .scope = r->scope,
                   .flavour = r->flavour,
                   .space = r->space,
                   .some_lanes = r->some_lanes,
                   .size = r->size};
    if (r->type == p.type && serves(has, f) && here) return r;
  }
  return nullptr;
}

const capability* entry_of(const point& p, const worker_info& worker) {
  offered_op op{.backend = p.backend, .name = p.op, .rows = {}};
  for (const capability& c : worker.capabilities)
    if (c.supported && c.backend == p.backend && c.op == p.op) op.rows.push_back(&c);
  return op.row(p);
}

std::vector<std::optional<value_type>> wanted_types(const offered_op& op,
                                                    const run_options& options, type_set of_study) {
  const std::vector<value_type> offered = op.types();
  if (offered.empty()) return {std::nullopt};
  if (!options.types.empty()) return {options.types.begin(), options.types.end()};
  if (of_study == type_set::one)
    return {contains(offered, value_type::int32) ? value_type::int32 : offered.front()};
  std::vector<std::optional<value_type>> all;
  for (const value_type type : offered)
    if (of_study == type_set::all || type != value_type::uint32) all.emplace_back(type);
  return all;
}

std::vector<placement> wanted_placements(const offered_op& op, const run_options& options,
                                         const std::vector<placement>& of_study) {
  const std::vector<placement> offered = op.placements();
  if (offered == std::vector{placement::none}) return offered;
  if (!options.placements.empty()) return options.placements;
  std::vector<placement> both;
  for (const placement p : of_study)
    if (contains(offered, p)) both.push_back(p);
  return both.empty() ? offered : both;
}

std::vector<home> wanted_homes(const offered_op& op, const run_options& options,
                               const std::vector<home>& of_study, bool on_gpu) {
  const std::string& family = op.rows.front()->family;
  const bool has_home =
      on_gpu ? family == "launch" || of_study != std::vector{home::none} : family == "handoff";
  if (!has_home) return {home::none};
  return options.homes.empty() ? of_study : options.homes;
}

std::vector<unsigned> wanted_sizes(const offered_op& op, const run_options& options,
                                   const std::vector<unsigned>& of_study) {
  if (op.rows.front()->size_of.empty()) return {0};
  if (!options.sizes.empty()) return options.sizes;
  if (!of_study.empty()) return of_study;
  std::vector<unsigned> built;
  for (const capability* row : op.rows) add_once(built, row->size);
  return built;
}

std::string why_not_offered(const offered_op& op, const point& p) {
  if (p.type && !contains(op.types(), *p.type))
    return fmt::format("has no type {}, only {}", to_text(*p.type), texts(op.types()));
  if (!contains(op.orders(), p.order))
    return fmt::format("has no order {}, only {}", to_text(p.order), texts(op.orders()));
  if (!contains(op.placements(), p.placement)) {
    return fmt::format("has no placement {}, only {}", to_text(p.placement),
                       texts(op.placements()));
  }
  return "the backend does not offer this combination of type, order and placement";
}

std::vector<offered_op> offered_ops(const run_options& options,
                                    const std::vector<worker_info>& workers) {
  std::vector<offered_op> ops = chosen_ops(options, workers);
  check_names(options, ops);
  return ops;
}

bool has_native(const std::vector<offered_op>& ops, const offered_op& op,
                const std::vector<worker_info>& workers) {
  return is_portable(workers, op.backend) && std::ranges::any_of(ops, [&](const auto& other) {
           return other.name == op.name && !is_portable(workers, other.backend) &&
                  gpus_of(workers, other.backend) == nullptr && other.rows.front()->supported;
         });
}

std::vector<std::string> workers_for(const run_options& options) {
  std::vector<std::string> workers;
  for (const known_backend& known : known_backends()) {
    const auto serves = [&](const std::string& backend) {
      return backend == known.name || (known.several && backend.starts_with(known.name + '-'));
    };
    const bool wanted = options.backends.empty()
                            ? !known.when_named || is_compared(known.name, options.study)
                            : std::ranges::any_of(options.backends, serves);
    if (wanted) workers.push_back(known.name);
  }
  return workers;
}

std::vector<std::string> backends_lacking(const run_options& options,
                                          const std::vector<worker_info>& workers) {
  std::vector<std::string> lacking;
  const study* const chosen = options.backends.empty() ? find_study(options.study) : nullptr;
  if (chosen == nullptr) return lacking;
  for (const std::string_view backend : chosen->also) {
    const bool served = std::ranges::any_of(workers, [&](const worker_info& w) {
      return contains(w.backends, std::string(backend)) &&
             problem_of(w, std::string(backend)).empty();
    });
    if (!served) lacking.emplace_back(backend);
  }
  return lacking;
}

}  // namespace syncmeter
