#include "driver/campaign/planned_before.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/campaign/visit_log.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// Of a file from before its plan was told by backend: all of them together.
constexpr const char* all_backends = "";

plan_share share_in(const json& object) {
  return {static_cast<std::size_t>(number_or(object, "points", 0)),
          static_cast<std::size_t>(number_or(object, "visits", 0))};
}

const json* plan_in(const results_file& file) {
  const auto plan = file.campaign.find("plan");
  return plan != file.campaign.end() && plan->is_object() ? &*plan : nullptr;
}

std::map<std::string, plan_share> shares_in(const results_file& file) {
  const json* const plan = plan_in(file);
  if (plan == nullptr) return {};
  const auto by_backend = plan->find("backends");
  if (by_backend == plan->end() || !by_backend->is_object())
    return {{all_backends, share_in(*plan)}};
  std::map<std::string, plan_share> shares;
  for (const auto& [backend, share] : by_backend->items()) {
    if (share.is_object()) shares[backend] = share_in(share);
  }
  return shares;
}

/// The visits that the file has of points that the plan lacks, by backend. One that settles its
/// point stands for all.
std::map<std::string, std::size_t> done_beyond(const campaign_plan& plan, const results_file& file,
                                               const std::map<std::string, plan_share>& then) {
  std::set<std::string> planned;
  for (const planned_point& p : plan.points) planned.insert(canonical(p.what));
  std::map<std::string, std::set<std::uint64_t>> numbers;
  std::map<std::string, std::string> backend_of;
  std::set<std::string> settled;
  for (const visit_record& visit : file.visits) {
    const std::string text = canonical(visit.point);
    if (planned.contains(text) || visit.again) continue;
    backend_of[text] = then.contains(all_backends) ? all_backends : visit.point.backend;
    numbers[text].insert(visit.visit);
    if (settles(visit)) settled.insert(text);
  }
  std::map<std::string, std::size_t> done;
  for (const auto& [text, seen] : numbers) {
    const std::string& backend = backend_of[text];
    const auto share = then.find(backend);
    const std::size_t whole = share == then.end() || share->second.points == 0
                                  ? 0
                                  : share->second.visits / share->second.points;
    done[backend] += settled.contains(text) ? std::max(whole, seen.size()) : seen.size();
  }
  return done;
}

std::string why_not(const std::string& backend, const std::vector<worker_info>& workers) {
  for (const worker_info& worker : workers) {
    const bool its =
        worker.name == backend ||
        std::find(worker.backends.begin(), worker.backends.end(), backend) != worker.backends.end();
    if (its && !problem_of(worker, backend).empty()) return ": " + problem_of(worker, backend);
  }
  return {};
}

}  // namespace

std::vector<std::string> backends_planned(const results_file& file) {
  std::vector<std::string> backends;
  for (const auto& [backend, share] : shares_in(file)) {
    if (backend != all_backends) backends.push_back(backend);
  }
  return backends;
}

std::vector<std::string> visited_backends(const results_file& file) {
  std::set<std::string> backends;
  for (const visit_record& visit : file.visits) backends.insert(visit.point.backend);
  return {backends.begin(), backends.end()};
}

void keep_backends(std::vector<worker_info>& workers, const std::vector<std::string>& backends) {
  for (worker_info& worker : workers) {
    for (const std::string& backend : std::vector(worker.backends)) {
      if (std::find(backends.begin(), backends.end(), backend) == backends.end())
        worker.take_away(backend);
    }
  }
}

bool has_more_points(const campaign_plan& plan, const results_file& file) {
  const json* const then = plan_in(file);
  return then != nullptr && then->contains("points") && plan.points.size() > share_in(*then).points;
}

std::vector<std::string> visits_missing(const campaign_plan& plan, const results_file& file,
                                        const std::vector<worker_info>& workers) {
  const std::map<std::string, plan_share> then = shares_in(file);
  std::map<std::string, plan_share> now = shares_of(plan);
  if (then.contains(all_backends)) now = {{all_backends, whole_share(plan)}};
  std::map<std::string, std::size_t> done = done_beyond(plan, file, then);
  std::vector<std::string> missing;
  for (const auto& [backend, share] : then) {
    const std::string name = backend.empty() ? "the plan" : fmt::format("backend '{}'", backend);
    if (now[backend].points > share.points) {
      throw usage_error(fmt::format(
          "--resume: '{}' was planned with {} points of {}, but this program (version {}, the "
          "file is of {}) plans {}; start a new file with --output",
          file.path, share.points, name, SM_VERSION, text_in(file.campaign, "version"),
          now[backend].points));
    }
    const std::size_t known = now[backend].visits + done[backend];
    if (known < share.visits)
      missing.push_back(fmt::format("{} of the {} visits of {} cannot be measured here now{}",
                                    share.visits - known, share.visits, name,
                                    why_not(backend, workers)));
  }
  return missing;
}

}  // namespace syncmeter
