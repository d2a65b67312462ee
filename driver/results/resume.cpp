#include "driver/results/resume.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/results/campaign_lines.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr std::size_t longest_shown = 200;

// Returns a member as text, and as JSON if not a string, because somebody may have edited the file.
std::string text_at(const json& object, const json::json_pointer& where) {
  if (!object.contains(where)) return "(none)";
  const json& value = object.at(where);
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true);
}

std::string difference(std::string_view what, const std::string& then, const std::string& now) {
  return fmt::format("measured {} {}, but here it is {}", what, quote(then, longest_shown),
                     quote(now, longest_shown));
}

std::vector<int> allowed_in(const json& campaign) {
  std::vector<int> numbers;
  const auto found = campaign.find("allowed_pus");
  if (found == campaign.end() || !found->is_array()) return numbers;
  for (const json& number : *found)
    if (number.is_number_integer()) numbers.push_back(number.get<int>());
  std::ranges::sort(numbers);
  return numbers;
}

// The key for files whose plan does not count points by backend.
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
  for (const auto& [backend, share] : by_backend->items())
    if (share.is_object()) shares[backend] = share_in(share);
  return shares;
}

/// Returns how many visits the file has to points missing in the plan, by backend. A visit that
/// settles its point represents all visits.
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
  for (const auto& [text, visits] : numbers) {
    const std::string& backend = backend_of[text];
    const auto share = then.find(backend);
    const std::size_t whole = share == then.end() || share->second.points == 0
                                  ? 0
                                  : share->second.visits / share->second.points;
    done[backend] += settled.contains(text) ? std::max(whole, visits.size()) : visits.size();
  }
  return done;
}

std::string why_not(const std::string& backend, const std::vector<worker_info>& workers) {
  for (const worker_info& worker : workers) {
    const bool its = worker.name == backend || contains(worker.backends, backend);
    if (its && !problem_of(worker, backend).empty()) return ": " + problem_of(worker, backend);
  }
  return {};
}

}  // namespace

std::string difference_between(const results_file& file, const campaign_identity& now) {
  const json major = file.campaign.contains("/schema/major"_json_pointer)
                         ? file.campaign.at("/schema/major"_json_pointer)
                         : json();
  if (major != schema_major)
    return difference("with schema", major.dump(-1, ' ', true), fmt::format("{}", schema_major));
  const std::string cpu_then = text_at(file.campaign, "/machine/cpu_model"_json_pointer);
  if (cpu_then != now.cpu_model) return difference("on the CPU", cpu_then, now.cpu_model);
  std::vector<int> allowed_now = now.allowed_pus;
  std::ranges::sort(allowed_now);
  const std::vector<int> allowed_then = allowed_in(file.campaign);
  if (allowed_then != allowed_now)
    return difference("with the allowed CPUs", as_ranges(allowed_then), as_ranges(allowed_now));
  for (const auto& [backend, gpu] : now.gpus) {
    const json::json_pointer where{"/gpus/" + backend};
    if (!file.campaign.contains(where)) continue;
    const std::string gpu_then = text_at(file.campaign, where);
    if (gpu_then != gpu) return difference("on the GPU", gpu_then, gpu);
  }
  for (const json& worker : file.workers) {
    const std::string name = text_at(worker, "/worker"_json_pointer);
    const auto build = now.builds.find({name, text_in(worker, "arm")});
    if (build == now.builds.end()) continue;
    const std::string then = text_at(worker, "/build/id"_json_pointer);
    if (then != build->second)
      return difference(fmt::format("by syncmeter-{} of build", name), then, build->second);
  }
  return {};
}

void require_same_identity(const results_file& file, const campaign_identity& now) {
  const std::string differs = difference_between(file, now);
  if (!differs.empty())
    throw usage_error(
        fmt::format("--resume: '{}' was {}; start a new file with --output", file.path, differs));
}

std::string cut_torn_tail(results_writer& writer, results_file& file) {
  std::string note;
  if (file.compressed) {
    if (file.torn) note = fmt::format("'{}': removed an incomplete last line", writer.path());
    // Appending needs a frame with an end.
    if (file.torn || file.open_frame)
      writer.rewrite(text_of_file(writer.path()).text.substr(0, file.whole_bytes));
    file.torn = file.open_frame = false;
    return note;
  }
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(writer.path(), error);
  if (!error && file.whole_bytes < size) {
    note = fmt::format("'{}': removed an incomplete last line of {} bytes", writer.path(),
                       size - file.whole_bytes);
    writer.cut_after(file.whole_bytes);
    file.torn = false;
  }
  return note;
}

results_file reopen(results_writer& writer, const campaign_identity& now, std::string& note) {
  results_file file = read_results(writer.path());
  require_same_identity(file, now);
  note = cut_torn_tail(writer, file);
  return file;
}

std::vector<std::string> backends_planned(const results_file& file) {
  std::vector<std::string> backends;
  for (const auto& [backend, share] : shares_in(file))
    if (backend != all_backends) backends.push_back(backend);
  return backends;
}

std::vector<std::string> visited_backends(const results_file& file) {
  std::set<std::string> backends;
  for (const visit_record& visit : file.visits) backends.insert(visit.point.backend);
  return {backends.begin(), backends.end()};
}

void keep_backends(std::vector<worker_info>& workers, const std::vector<std::string>& backends) {
  for (worker_info& worker : workers) {
    for (const std::string& backend : std::vector(worker.backends))
      if (!contains(backends, backend)) worker.take_away(backend);
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
      throw usage_error(fmt::format("--resume: '{}' was planned with {} configurations of {}, but "
                                    "this program (version {}, the "
                                    "file is of {}) plans {}; start a new file with --output",
                                    file.path, share.points, name, SM_VERSION,
                                    text_in(file.campaign, "version"), now[backend].points));
    }
    const std::size_t known = now[backend].visits + done[backend];
    if (known < share.visits)
      missing.push_back(fmt::format("{} of the {} repetitions of {} cannot be measured here now{}",
                                    share.visits - known, share.visits, name,
                                    why_not(backend, workers)));
  }
  return missing;
}

}  // namespace syncmeter
