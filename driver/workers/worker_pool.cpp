#include "driver/workers/worker_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/harness/harness.hpp"
#include "core/point.hpp"
#include "driver/workers/read_members.hpp"
#include "driver/workers/visit_record.hpp"

namespace syncmeter {
namespace {

using members::shown, nlohmann::json;
using kind = exchange_outcome::kind;
using std::chrono::milliseconds;

constexpr unsigned starts_before_giving_up = 3;
// Limits a worker's prediction, because a deadline must be finite.
constexpr double longest_prediction_ns = 600e9;

json member(const json& object, const char* name) {
  const json* const found = members::find(object, name);
  return found == nullptr ? json() : *found;
}

template <class... Values>
exchange_outcome without_answer(kind what, fmt::format_string<Values...> text, Values&&... values) {
  return {what, {}, fmt::format(text, std::forward<Values>(values)...)};
}

// Returns the arm of the request's point, or an empty text.
std::string arm_in(const json& request) {
  return request.value("/point/arm"_json_pointer, std::string());
}

}  // namespace

worker_pool::worker_pool(const std::vector<worker_info>& infos, settings how)
    : infos_(infos), how_(std::move(how)) {}

worker_pool::environment* worker_pool::environment_of(const std::string& backend, wait_policy wait,
                                                      const json& request) {
  const std::string arm = arm_in(request);
  const auto info = std::ranges::find_if(infos_, [&](const worker_info& w) {
    return (arm.empty() || w.arm == arm) && contains(w.backends, backend);
  });
  if (info == infos_.end()) return nullptr;
  // A pool larger than the team would take CPU time from other lanes. Each team size gets a
  // process.
  const unsigned threads =
      info->pooled.contains(backend) ? static_cast<unsigned>(request.at("pus").size()) : 0;
  environment& env = environments_[{info->label(), wait, threads}];
  env.info = &*info;
  env.wait = wait;
  env.threads = threads;
  return &env;
}

// Ends the worker, because its state is unknown after anything except an answer. If the worker
// cannot be killed, its device is given up.
exchange_outcome worker_pool::end(environment& env, exchange_outcome outcome, bool gracefully) {
  if (!env.process) return outcome;
  if (!gracefully) env.process->kill();
  else if (const std::string bad = env.process->leave(); !bad.empty() && how_.on_bad_end)
    how_.on_bad_end(bad);
  if (env.process->lost()) {
    const std::string reason = fmt::format(
        "{} still exists {} s after SIGKILL; worker '{}' and its device are not used any more",
        env.process->label(), std::chrono::duration<double>(how_.deadlines.reaping).count(),
        env.info->label());
    lost_workers_[env.info->label()] = reason;
    outcome.reason += "; " + reason;
  }
  env.process.reset();
  return outcome;
}

exchange_outcome worker_pool::await(environment& env, const char* wanted, milliseconds within) {
  answer reply = env.process->receive(within, how_.cancel_fd);
  switch (reply.what) {
  case answer::kind::line:
    break;
  case answer::kind::late:
    return {kind::timed_out, {}, reply.text};
  case answer::kind::cancelled:
    return {kind::cancelled, {}, reply.text};
  case answer::kind::garbage:
  case answer::kind::closed:
    return {kind::crashed, {}, reply.text};
  }
  const json got = member(reply.object, "kind");
  const json id = member(reply.object, "id");
  // A worker that could not read a request may not know its id.
  if (got == "error") {
    const json text = member(reply.object, "text");
    return without_answer(
        kind::refused, "{} refused the request: {}", env.process->label(),
        quote(text.is_string() ? text.get<std::string>() : text.dump(-1, ' ', true), 300));
  }
  if (id != next_id_) {
    return without_answer(kind::crashed, "{} answered request {} instead of {}",
                          env.process->label(), shown(id), next_id_);
  }
  if (got != wanted) {
    return without_answer(kind::crashed, "{} answered {} instead of \"{}\"", env.process->label(),
                          shown(got), wanted);
  }
  return {kind::answered, std::move(reply.object), {}};
}

exchange_outcome worker_pool::say_hello(environment& env) {
  env.process->send({{"kind", "hello"}, {"id", ++next_id_}});
  exchange_outcome hello = await(env, "worker", how_.deadlines.hello);
  if (hello.what != kind::answered) return hello;
  if (const std::string flaw = flaw_in_protocol(hello.line); !flaw.empty())
    return without_answer(kind::crashed, "{}: {}", env.process->label(), flaw);
  const json build = member(member(hello.line, "build"), "id");
  if (build != env.info->build.at("id")) {
    return without_answer(kind::crashed, "{} has build {}, but this campaign measures build {}",
                          env.process->label(), shown(build), shown(env.info->build.at("id")));
  }
  return hello;
}

exchange_outcome worker_pool::start(environment& env) {
  exchange_outcome outcome;
  try {
    env.process.emplace(env.info->label(),
                        program_to_start{.path = env.info->path,
                                         .wait = env.wait,
                                         .threads = env.threads,
                                         .cpus = how_.cpus,
                                         .settings = env.info->environment},
                        how_.deadlines);
    outcome = say_hello(env);
  } catch (const std::runtime_error& error) {
    outcome = {kind::crashed, {}, error.what()};
  }
  env.resumed = false;
  if (outcome.what == kind::answered) {
    env.failed_starts = 0;
    outcome.line["path"] = env.info->path;
    outcome.line["wait"] = to_text(env.wait);
    if (env.threads > 0) outcome.line["threads"] = env.threads;
    if (!env.info->arm.empty()) {
      outcome.line["arm"] = env.info->arm;
      outcome.line["settings"] = env.info->environment;
    }
    if (how_.on_start) how_.on_start(outcome.line);
    return outcome;
  }
  if (outcome.what == kind::refused) outcome.what = kind::crashed;
  outcome = end(env, std::move(outcome));
  if (outcome.what != kind::cancelled && ++env.failed_starts >= starts_before_giving_up &&
      env.given_up.empty()) {
    env.given_up =
        fmt::format("worker '{}' ({} waiting) failed to start {} times in a row; last: {}",
                    env.info->label(), to_text(env.wait), env.failed_starts, outcome.reason);
  }
  return outcome;
}

// Runs this environment's worker and stops all other workers.
exchange_outcome worker_pool::make_ready(environment& env) {
  const auto lost = lost_workers_.find(env.info->label());
  if (lost != lost_workers_.end()) return {kind::given_up, {}, lost->second};
  if (!env.given_up.empty()) return {kind::given_up, {}, env.given_up};
  for (auto& [key, other] : environments_)
    if (&other != &env && other.process) other.process->stop();
  if (!env.process) return start(env);
  if (env.process->stopped()) {
    env.process->resume();
    env.resumed = true;
  }
  return {};
}

exchange_outcome worker_pool::exchange(environment& env, json request, const char* answer_kind) {
  exchange_outcome outcome = make_ready(env);
  if (outcome.what != kind::answered) return outcome;
  request["id"] = ++next_id_;
  milliseconds within = how_.deadlines.visit_slack;
  if (request.at("kind") == "measure") {
    request["resumed"] = std::exchange(env.resumed, false);
    env.process->send(request);
    outcome = await(env, "accepted", how_.deadlines.accepted);
    if (outcome.what == kind::refused) return outcome;
    if (outcome.what != kind::answered) return end(env, std::move(outcome));
    const json predicted = member(outcome.line, "predicted_ns");
    if (!predicted.is_number() || !(predicted.get<double>() >= 0)) {
      return end(env, without_answer(kind::crashed, "{} sent an invalid predicted_ns: {}",
                                     env.process->label(), shown(predicted)));
    }
    const double believed_ns = std::min(predicted.get<double>(), longest_prediction_ns);
    within += milliseconds(std::llround(how_.deadlines.visit_factor * believed_ns * 1e-6));
  } else {
    within += milliseconds(
        std::llround(how_.deadlines.visit_factor * request.at("seconds").get<double>() * 1e3));
    env.process->send(request);
  }
  outcome = await(env, answer_kind, within);
  if (outcome.what == kind::answered || outcome.what == kind::refused) return outcome;
  return end(env, std::move(outcome));
}

exchange_outcome worker_pool::measure(const std::string& backend, wait_policy wait, json request) {
  environment* env = environment_of(backend, wait, request);
  if (env == nullptr)
    return without_answer(kind::given_up, "no worker serves backend '{}'", backend);
  request["kind"] = "measure";
  // Workers know no arms, and older workers not even the axis.
  const std::string arm = arm_in(request);
  request["point"].erase("arm");
  exchange_outcome outcome = exchange(*env, request, "visit");
  if (outcome.what != kind::answered) return outcome;
  if (const std::string flaw = flaw_in_answer(outcome.line, request); !flaw.empty()) {
    return end(*env, without_answer(kind::crashed, "{} sent an invalid visit: {}",
                                    env->process->label(), flaw));
  }
  if (!arm.empty()) outcome.line["point"]["arm"] = arm;
  // The worker lost its device and exits by itself. Its visit is still valid.
  if (member(outcome.line, "worker_ends") == true) return end(*env, std::move(outcome), true);
  return outcome;
}

exchange_outcome worker_pool::probe(const std::string& backend, wait_policy wait, json request) {
  environment* env = environment_of(backend, wait, request);
  if (env == nullptr)
    return without_answer(kind::given_up, "no worker serves backend '{}'", backend);
  request["kind"] = "probe";
  return exchange(*env, std::move(request), "probe");
}

void worker_pool::close() {
  for (auto& [key, env] : environments_) (void)end(env, {}, true);
}

}  // namespace syncmeter
