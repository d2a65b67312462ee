#include "driver/workers/worker_check.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "driver/text/quote.hpp"
#include "driver/workers/capability_flaws.hpp"
#include "driver/workers/capability_json.hpp"
#include "driver/workers/check_request.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/worker_manners.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// A sentence without the process's number: the same fault of two processes is one.
std::string without_pid(std::string text) {
  for (;;) {
    const std::size_t begin = text.find(" (pid ");
    const std::size_t end = begin == std::string::npos ? begin : text.find(')', begin);
    if (end == std::string::npos) return text;
    text.erase(begin, end + 1 - begin);
  }
}

worker_deadlines deadlines_of(const worker_check_settings& how) {
  worker_deadlines limits;
  if (how.patience.count() == 0) return limits;
  limits.hello = limits.capabilities = limits.accepted = limits.visit_slack = how.patience;
  limits.leaving = std::min(limits.leaving, how.patience);
  return limits;
}

class checker {
 public:
  explicit checker(const worker_check_settings& how)
      : how_(how), deadlines_(deadlines_of(how)), pus_(read_cpu_grant().allowed) {}

  worker_check all() {
    infos_.emplace_back();
    infos_.front().path = how_.path;
    name();
    if (!capabilities()) return std::move(said_);
    if (!measured()) return std::move(said_);
    const capability* const some = first_measured(true);
    const std::vector<std::string> flaws =
        flawed_manners({.name = info().name, .path = how_.path, .deadlines = deadlines_},
                       some != nullptr ? *request_for(*some) : json());
    for (const std::string& flaw : flaws) said_.faults.push_back(without_pid(flaw));
    if (flaws.empty())
      said_.held.emplace_back(
          "requests that cannot be read are refused, and the end of input ends it");
    return std::move(said_);
  }

 private:
  worker_info& info() { return infos_.front(); }
  void fault(const std::string& part, const std::string& what) {
    said_.faults.push_back(fmt::format("{}: {}", part, without_pid(what)));
  }
  std::optional<worker_process> started(const std::string& part,
                                        std::vector<std::string> arguments) {
    try {
      return worker_process(info().name,
                            program_to_start{.path = how_.path, .arguments = std::move(arguments)},
                            deadlines_);
    } catch (const std::exception& error) {
      fault(part, error.what());
      return std::nullopt;
    }
  }

  void name();
  bool capabilities();
  bool measured();
  void measure_point(worker_pool& pool, const capability& entry);
  void probed(worker_pool& pool);
  [[nodiscard]] std::optional<json> request_for(const capability& entry) const {
    return check_request(entry, infos_.front(), pus_);
  }
  [[nodiscard]] bool is_on_gpu(const capability& entry) const {
    return infos_.front().gpus.contains(entry.backend);
  }
  [[nodiscard]] const capability* first_measured(bool or_gpu) const;

  worker_check_settings how_;
  worker_deadlines deadlines_;
  std::vector<int> pus_;
  std::vector<worker_info> infos_;
  worker_check said_;
  bool hello_held_ = false;
  std::size_t points_held_ = 0, points_refused_ = 0;
  std::map<std::string, std::vector<std::string>> failed_;  // sentence -> the ops it is about
};

void checker::name() {
  const std::string file = std::filesystem::path(how_.path).filename();
  if (!file.starts_with(worker_prefix) || file.size() == worker_prefix.size()) {
    info().name = file;
    fault("name",
          fmt::format("{} is found by no driver: workers are named syncmeter-NAME", quote(file)));
    return;
  }
  info().name = file.substr(worker_prefix.size());
}

bool checker::capabilities() {
  const std::string part = "--capabilities";
  std::optional<worker_process> worker = started(part, {"--capabilities"});
  if (!worker) return false;
  const answer first = worker->receive(deadlines_.capabilities);
  if (first.what != answer::kind::line) {
    fault(part, first.text);
    return false;
  }
  const answer more = worker->receive(deadlines_.leaving);
  if (more.what == answer::kind::line || more.what == answer::kind::garbage)
    fault(part, "it wrote more than one line to standard output");
  if (const std::string problem = worker->leave(); !problem.empty()) fault(part, problem);
  read_capabilities(first.object, info());
  if (!info().problem.empty()) {
    fault(part, info().problem);
    return false;
  }
  const std::size_t before = said_.faults.size();
  for (const std::string& flaw : capability_flaws(first.object, info())) fault(part, flaw);
  for (const auto& [backend, problem] : info().backend_problems)
    said_.untried.push_back(fmt::format("backend {}: {}", backend, problem));
  std::set<std::string> ops;
  std::size_t elided = 0;
  for (const capability& entry : info().capabilities) {
    ops.insert(entry.op);
    const bool same = entry.code.size() == 2 && entry.code[0] == entry.code[1];
    if (same && !entry.empty_on_purpose) ++elided;
  }
  if (elided > 0)
    said_.untried.push_back(fmt::format(
        "{} entries are elided: both loops are the same code, and measure nothing", elided));
  if (said_.faults.size() == before)
    said_.held.push_back(fmt::format("{}: {} ops of {} in {} entries", part, ops.size(),
                                     fmt::join(info().backends, ", "), info().capabilities.size()));
  return true;
}

// On a GPU only where `or_gpu` says so.
const capability* checker::first_measured(bool or_gpu) const {
  for (const capability& entry : infos_.front().capabilities) {
    if (request_for(entry) && (or_gpu || !is_on_gpu(entry))) return &entry;
  }
  return nullptr;
}

void checker::measure_point(worker_pool& pool, const capability& entry) {
  const std::optional<json> request = request_for(entry);
  if (!request) return;
  const exchange_outcome outcome = pool.measure(entry.backend, wait_policy::active, *request);
  std::string wrong;
  if (outcome.what != exchange_outcome::kind::answered) {
    wrong = without_pid(outcome.reason);
  } else {
    const json& told = outcome.line.at("status");
    const json reason = outcome.line.value("reason", json());
    // What a GPU has room for is not all in its capabilities.
    if (told == "unsupported" && is_on_gpu(entry)) ++points_refused_;
    else if (told == "failed" || told == "unsupported")
      wrong = fmt::format("it is declared as supported, and its status is {}: {}", told.dump(),
                          quote(reason.is_string() ? reason.get<std::string>() : "no reason", 200));
    else if (told != "ok" && (!reason.is_string() || reason == ""))
      wrong = fmt::format("its status is {}, and no \"reason\" says why", told.dump());
  }
  if (wrong.empty()) {
    ++points_held_;
    return;
  }
  std::vector<std::string>& ops = failed_[wrong];
  if (ops.empty() || ops.back() != entry.op) ops.push_back(entry.op);
}

void checker::probed(worker_pool& pool) {
  const capability* const some = first_measured(false);
  if (some == nullptr || pus_.size() < 2) {
    said_.untried.emplace_back("probe: it needs two processing units and an op of a CPU's backend");
    return;
  }
  const exchange_outcome outcome = pool.probe(some->backend, wait_policy::active,
                                              {{"pus", {pus_[0], pus_[1]}}, {"seconds", 0.05}});
  if (outcome.what != exchange_outcome::kind::answered) return fault("probe", outcome.reason);
  const auto are_times = [&](const char* name) {
    const json list = outcome.line.value(name, json());
    return list.is_array() && list.size() <= 2000 &&
           std::all_of(list.begin(), list.end(),
                       [](const json& t) { return t.is_number() && t >= 0; });
  };
  for (const char* name : {"hop_ns", "bounds_ns"}) {
    if (!are_times(name))
      return fault("probe", fmt::format("\"{}\" is no list of at most 2000 times", name));
  }
  said_.held.push_back(
      fmt::format("probe: {} hops between two processing units", outcome.line["hop_ns"].size()));
}

bool checker::measured() {
  worker_pool pool(
      infos_, {.cpus = {}, .deadlines = deadlines_, .on_start = [this](const json& line) {
                 hello_held_ = true;
                 for (const char* name : {"runtime", "environment"}) {
                   if (!line.contains(name) || !line.at(name).is_object())
                     failed_[fmt::format("\"{}\" is missing or not an object", name)] = {"hello"};
                 }
                 if (line.value("pid", json()) == json()) failed_["\"pid\" is missing"] = {"hello"};
               }});
  std::set<std::pair<std::string, std::string>> asked;
  for (const capability& entry : info().capabilities) {
    if (!how_.every_entry && asked.contains({entry.backend, entry.op})) continue;
    if (!request_for(entry)) continue;
    asked.insert({entry.backend, entry.op});
    measure_point(pool, entry);
    if (!hello_held_) {
      fault("hello", failed_.begin()->first);
      return false;
    }
  }
  if (points_refused_ > 0)
    said_.untried.push_back(fmt::format(
        "unsupported on one block of 64 threads, and not measured: {} points", points_refused_));
  const bool all_held = failed_.empty();
  for (const auto& [what, ops] : failed_) {
    if (ops.front() == "hello") fault("hello", what);
    else
      fault(fmt::format("measure {}{}", ops.front(),
                        ops.size() > 1 ? fmt::format(" and {} more", ops.size() - 1) : ""),
            what);
  }
  if (all_held && hello_held_) said_.held.emplace_back("hello: protocol and build are as declared");
  if (points_held_ > 0)
    said_.held.push_back(fmt::format("measure: {} points answered as they must be", points_held_));
  probed(pool);
  pool.close();
  return true;
}

}  // namespace

worker_check check_worker(const worker_check_settings& how) { return checker(how).all(); }

}  // namespace syncmeter
