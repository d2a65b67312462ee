#include "driver/workers/worker_check.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/protocol_schema.hpp"
#include "driver/workers/read_members.hpp"
#include "driver/workers/visit_record.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {
namespace {

using members::shown, nlohmann::json;

// Two warps of one block are enough for lanes that synchronize, and for a token between warps.
constexpr unsigned gpu_threads = 64;
constexpr unsigned gpu_active = 16;

/// Returns a request without kind and id. Returns nothing if this machine cannot measure the op:
/// not supported, backend problem, no device, or more lanes than `pus`.
std::optional<json> check_request(const capability& entry, const worker_info& worker,
                                  const std::vector<int>& pus) {
  if (!entry.supported || worker.backend_problems.contains(entry.backend)) return std::nullopt;
  point where;
  where.backend = entry.backend;
  where.op = entry.op;
  where.type = entry.type;
  if (!entry.placements.empty()) where.placement = entry.placements.front();
  if (where.placement == placement::strided) where.stride = 16;
  where.order = entry.order;
  where.scope = entry.scope;
  where.flavour = entry.flavour;
  where.space = entry.space;
  if (!entry.size_of.empty()) where.size = entry.size > 0 ? entry.size : 1024;
  if (entry.holds_lock || entry.has_work) where.section_ns = 50;
  if (entry.reads_and_writes) where.reads_per_write = 3;
  if (entry.arrives_late) where.late_us = 1;
  if (entry.after_gap) where.gap_us = 1;
  json request{{"pus", json::array()},
               {"visit", 1},
               {"options",
                {{"precision", 0.05},
                 {"max_time_ns", 2e6},
                 {"min_sample_ns", 2e4},
                 {"seed", 7},
                 {"trips", 0},
                 {"additivity", false},
                 {"watch_states", false},
                 {"quiet_floor_ns", json::array()},
                 {"state_bounds_ns", json::array()},
                 {"oversubscribe", false}}}};
  if (const auto gpus = worker.gpus.find(entry.backend); gpus != worker.gpus.end()) {
    if (gpus->second.devices.empty()) return std::nullopt;
    request["device"] = gpus->second.devices.front().index;
    where.lanes = std::max(gpu_threads, entry.min_lanes);
    if (entry.some_lanes) where.active = gpu_active;
    // An op that counts devices or sides needs at least two. For other ops, one block has room for
    // two.
    if (!entry.size_of.empty() && entry.size == 0) where.size = 2;
    if (entry.all_at_once && where.size > 1) where.blocks = where.size;
  } else {
    where.lanes = std::max(entry.min_lanes, entry.communicates ? 2U : 1U);
    if (where.lanes > pus.size()) return std::nullopt;
    where.affinity = affinity::close;
    request["pus"] = std::vector(pus.begin(), pus.begin() + where.lanes);
  }
  request["point"] = where;
  return request;
}

// Returns the sentence without the process number, because two processes may have the same fault.
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
    info().path = how_.path;
    name();
    if (!capabilities() || !measured()) return std::move(found_);
    const std::size_t before = found_.faults.size();
    refuses_nonsense();
    if (found_.faults.size() == before)
      found_.held.emplace_back(
          "requests that cannot be read are refused, and the end of input ends it");
    return std::move(found_);
  }

 private:
  worker_info& info() { return infos_.front(); }
  void fault(const std::string& part, const std::string& what) {
    found_.faults.push_back(fmt::format("{}: {}", part, without_pid(what)));
  }
  /// Returns whether the line has no fault by the schema.
  bool schema_faults(const std::string& part, const json& line, std::string_view kind) {
    const std::vector<std::string> flaws = schema_flaws(line, kind);
    for (const std::string& flaw : flaws) fault(part, flaw);
    return flaws.empty();
  }
  std::optional<json> request_for(const capability& entry) const {
    return check_request(entry, infos_.front(), pus_);
  }
  bool is_on_gpu(const capability& entry) const {
    return infos_.front().gpus.contains(entry.backend);
  }
  void name() {
    const std::string file = std::filesystem::path(how_.path).filename();
    if (!file.starts_with(worker_prefix) || file.size() == worker_prefix.size()) {
      info().name = file;
      fault("name",
            fmt::format("{} is found by no driver: workers are named syncmeter-NAME", quote(file)));
      return;
    }
    info().name = file.substr(worker_prefix.size());
  }

  bool capabilities() try {
    const std::string part = "--capabilities";
    worker_process worker(info().name, program_to_start{.path = how_.path, .arguments = {part}},
                          deadlines_);
    const answer first = worker.receive(deadlines_.capabilities);
    if (first.what != answer::kind::line) {
      fault(part, first.text);
      return false;
    }
    const answer more = worker.receive(deadlines_.leaving);
    if (more.what == answer::kind::line || more.what == answer::kind::garbage)
      fault(part, "it wrote more than one line to standard output");
    if (const std::string problem = worker.leave(); !problem.empty()) fault(part, problem);
    read_capabilities(first.object, info());
    if (!info().problem.empty()) {
      fault(part, info().problem);
      return false;
    }
    const std::size_t before = found_.faults.size();
    schema_faults(part, first.object, "capabilities");
    for (const std::string& flaw : capability_flaws(first.object, info())) fault(part, flaw);
    for (const auto& [backend, problem] : info().backend_problems)
      found_.untried.push_back(fmt::format("backend {}: {}", backend, problem));
    std::set<std::string> ops;
    std::size_t elided = 0;
    for (const capability& entry : info().capabilities) {
      ops.insert(entry.op);
      const bool same = entry.code.size() == 2 && entry.code[0] == entry.code[1];
      if (same && !entry.empty_on_purpose) ++elided;
    }
    if (elided > 0)
      found_.untried.push_back(
          fmt::format("{} elided: both loops are the same code, and measure nothing",
                      count_text(elided, "entry is", "entries are")));
    if (found_.faults.size() == before)
      found_.held.push_back(
          fmt::format("{}: {} of {} in {}", part, count_text(ops.size(), "op", "ops"),
                      fmt::join(info().backends, ", "),
                      count_text(info().capabilities.size(), "entry", "entries")));
    return true;
  } catch (const std::exception& error) {
    fault("--capabilities", error.what());
    return false;
  }

  // Returns an entry of a GPU backend only if `or_gpu` is true.
  const capability* first_measured(bool or_gpu) const {
    for (const capability& entry : infos_.front().capabilities)
      if (request_for(entry) && (or_gpu || !is_on_gpu(entry))) return &entry;
    return nullptr;
  }

  void measure_point(worker_pool& pool, const capability& entry) {
    const std::optional<json> request = request_for(entry);
    if (!request) return;
    const exchange_outcome outcome = pool.measure(entry.backend, wait_policy::active, *request);
    std::string wrong;
    if (outcome.what != exchange_outcome::kind::answered) {
      wrong = without_pid(outcome.reason);
    } else {
      const json& status = outcome.line.at("status");
      const json reason = outcome.line.value("reason", json());
      // Capabilities do not list all limits of a GPU.
      if (status == "unsupported" && is_on_gpu(entry)) ++points_refused_;
      else if (status == "failed" || status == "unsupported")
        wrong =
            fmt::format("it is declared as supported, and its status is {}: {}", status.dump(),
                        quote(reason.is_string() ? reason.get<std::string>() : "no reason", 200));
      else if (const auto flaws = schema_flaws(outcome.line, "visit"); !flaws.empty())
        wrong = flaws.front();
    }
    if (wrong.empty()) {
      ++points_held_;
      return;
    }
    std::vector<std::string>& ops = failed_[wrong];
    if (ops.empty() || ops.back() != entry.op) ops.push_back(entry.op);
  }

  void probed(worker_pool& pool) {
    const capability* const some = first_measured(false);
    if (some == nullptr || pus_.size() < 2) {
      found_.untried.emplace_back(
          "probe: it needs two processing units and an op of a CPU's backend");
      return;
    }
    const exchange_outcome outcome = pool.probe(some->backend, wait_policy::active,
                                                {{"pus", {pus_[0], pus_[1]}}, {"seconds", 0.05}});
    if (outcome.what != exchange_outcome::kind::answered) return fault("probe", outcome.reason);
    if (!schema_faults("probe", outcome.line, "probe")) return;
    found_.held.push_back(
        fmt::format("probe: {} hops between two processing units", outcome.line["hop_ns"].size()));
  }

  bool measured() {
    worker_pool pool(infos_,
                     {.cpus = {}, .deadlines = deadlines_, .on_start = [this](const json& line) {
                        hello_held_ = true;
                        for (const std::string& flaw : schema_flaws(line, "worker"))
                          failed_[flaw] = {"hello"};
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
      found_.untried.push_back(fmt::format(
          "unsupported on one block of 64 threads, and not measured: {} points", points_refused_));
    const bool all_held = failed_.empty();
    for (const auto& [what, ops] : failed_)
      if (ops.front() == "hello") fault("hello", what);
      else
        fault(fmt::format("measure {}{}", ops.front(),
                          ops.size() > 1 ? fmt::format(" and {} more", ops.size() - 1) : ""),
              what);
    if (all_held && hello_held_)
      found_.held.emplace_back("hello: protocol and build are as declared");
    if (points_held_ > 0)
      found_.held.push_back(
          fmt::format("measure: {} points answered as they must be", points_held_));
    probed(pool);
    pool.close();
    return true;
  }

  std::optional<json> answered(worker_process& worker, const std::string& part) {
    answer reply = worker.receive(deadlines_.accepted);
    if (reply.what == answer::kind::line) return std::move(reply.object);
    fault(part, reply.text);
    return std::nullopt;
  }

  /// Checks how a new worker answers requests that no worker can serve. Returns after the first
  /// fault, because later answers are unpredictable.
  void refuses_nonsense() try {
    const capability* const some = first_measured(true);
    worker_process worker(info().name, program_to_start{.path = how_.path}, deadlines_);
    if (!is_refused(worker, "a line that is no object", json(7)) ||
        !is_refused(worker, "a request of an unknown kind", {{"kind", "celebrate"}, {"id", 2}}) ||
        (some != nullptr && !refuses_points(worker, *request_for(*some))))
      return;
    const std::string part = "hello after SIGSTOP and SIGCONT";
    worker.stop();
    worker.resume();
    worker.send({{"kind", "hello"}, {"id", 5}});
    const std::optional<json> reply = answered(worker, part);
    if (reply && reply->value("id", json()) != 5)
      fault(part, fmt::format("it answered with the id {}", shown(reply->value("id", json()))));
    if (const std::string problem = worker.leave(); !problem.empty()) fault("end", problem);
  } catch (const std::exception& error) {
    fault("start", error.what());
  }

  /// `request` must be valid for this worker.
  bool refuses_points(worker_process& worker, json request) {
    request["kind"] = "measure";
    request["resumed"] = false;
    request["id"] = 3;
    if (!request.contains("device")) {
      json more_pus = request;
      more_pus["pus"].push_back(request.at("pus").at(0));
      if (!is_refused(worker, "more \"pus\" than lanes", more_pus)) return false;
    }
    request["id"] = 4;
    request["point"]["op"] = "no_such_op";
    return is_unsupported(worker, "a point that it does not have", request);
  }

  bool is_refused(worker_process& worker, const std::string& part, const json& request) {
    worker.send(request);
    const std::optional<json> reply = answered(worker, part);
    if (!reply) return false;
    const json kind = reply->value("kind", json()), id = reply->value("id", json());
    if (kind != "error") {
      fault(part, fmt::format("it answered {}, not \"error\"", shown(kind)));
      return false;
    }
    const bool has_text = schema_faults(part, *reply, "error");
    const bool has_id = !request.is_object() || id == request.at("id");
    if (!has_id) fault(part, fmt::format("its error has the id {}, not the request's", shown(id)));
    return has_text && has_id;
  }

  bool is_unsupported(worker_process& worker, const std::string& part, const json& request) {
    worker.send(request);
    std::optional<json> reply = answered(worker, part);
    if (reply && reply->value("kind", json()) == "accepted") reply = answered(worker, part);
    if (!reply) return false;
    if (reply->value("kind", json()) == "error") return true;
    const json status = reply->value("status", json());
    if (const std::string flaw = flaw_in_visit(*reply); !flaw.empty()) fault(part, flaw);
    else if (status != "unsupported" && status != "failed")
      fault(part, fmt::format("its status is {}, not \"unsupported\"", status.dump(-1, ' ', true)));
    else return true;
    return false;
  }

  worker_check_settings how_;
  worker_deadlines deadlines_;
  std::vector<int> pus_;
  std::vector<worker_info> infos_{1};
  worker_check found_;
  bool hello_held_ = false;
  std::size_t points_held_ = 0, points_refused_ = 0;
  std::map<std::string, std::vector<std::string>> failed_;  // sentence -> affected ops
};

}  // namespace

worker_check check_worker(const worker_check_settings& how) { return checker(how).all(); }

}  // namespace syncmeter
