// The ops that the workers found here offer for these options.
#include "cli/offered_ops.hpp"

#include <fmt/format.h>

#include "cli/parse_axes.hpp"
#include "cli/studies.hpp"

namespace syncmeter {
namespace {

std::vector<offered_op> chosen_ops(const run_options& options,
                                   const std::vector<worker_info>& workers) {
  std::vector<std::string> usable;
  std::string problems;
  for (const worker_info& w : workers) {
    if (w.problem.empty()) usable.insert(usable.end(), w.backends.begin(), w.backends.end());
    else problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", w.name, w.problem);
  }
  for (const std::string& name : options.backends) {
    if (contains(usable, name)) continue;
    const auto broken = std::find_if(workers.begin(), workers.end(), [&](const worker_info& w) {
      return !w.problem.empty() && (w.name == name || contains(w.backends, name));
    });
    if (broken == workers.end())
      throw usage_error(unknown_name("--backend", "backend", name, usable));
    throw usage_error(fmt::format("--backend: '{}' cannot be used: {}; usable here: {}", name,
                                  broken->problem, usable.empty() ? "none" : join(usable)));
  }
  if (usable.empty()) {
    throw usage_error(
        fmt::format("no backend can be used here{}{}; `syncmeter list` says what to install",
                    problems.empty() ? "" : ": ", problems));
  }
  std::vector<offered_op> ops;
  for (const worker_info& w : workers) {
    if (!w.problem.empty()) continue;
    for (const capability& row : w.capabilities) {
      if (!options.backends.empty() && !contains(options.backends, row.backend)) continue;
      auto found = std::find_if(ops.begin(), ops.end(), [&](const offered_op& op) {
        return op.backend == row.backend && op.name == row.op;
      });
      if (found == ops.end()) found = ops.insert(ops.end(), {row.backend, row.op, {}});
      found->rows.push_back(&row);
    }
  }
  return ops;
}

/// A user's names must each mean something; what they mean is looked up per op later.
void check_names(const run_options& options, const std::vector<offered_op>& ops) {
  std::vector<std::string> names;
  std::vector<value_type> types;
  for (const offered_op& op : ops) {
    add_once(names, op.name);
    for (const value_type type : op.types()) add_once(types, type);
  }
  for (const std::string& wanted : options.ops) {
    const bool known = std::any_of(names.begin(), names.end(),
                                   [&](const auto& name) { return fits(wanted, name); });
    if (!known) throw usage_error(unknown_name("--op", "op", wanted, names));
  }
  for (const value_type wanted : options.types) {
    if (contains(types, wanted)) continue;
    std::vector<std::string> allowed;
    for (const value_type type : types) allowed.emplace_back(to_text(type));
    throw usage_error(fmt::format("--type: no op here has the type '{}'; allowed: {}",
                                  to_text(wanted), join(allowed)));
  }
}

}  // namespace

std::vector<value_type> offered_op::types() const {
  std::vector<value_type> all;
  for (const capability* row : rows) {
    if (row->type) add_once(all, *row->type);
  }
  return all;
}

std::vector<order> offered_op::orders() const {
  std::vector<order> all;
  for (const capability* row : rows) add_once(all, row->order);
  return all;
}

std::vector<placement> offered_op::placements() const {
  std::vector<placement> all;
  for (const capability* row : rows) {
    for (const placement p : row->placements) add_once(all, p);
  }
  return all.empty() ? std::vector{placement::none} : all;
}

const capability* offered_op::row(const point& p) const {
  for (const capability* r : rows) {
    const bool here = r->placements.empty() ? p.placement == placement::none
                                            : contains(r->placements, p.placement);
    if (r->type == p.type && r->order == p.order && here) return r;
  }
  return nullptr;
}

std::vector<offered_op> offered_ops(const run_options& options,
                                    const std::vector<worker_info>& workers) {
  std::vector<offered_op> ops = chosen_ops(options, workers);
  check_names(options, ops);
  return ops;
}

}  // namespace syncmeter
