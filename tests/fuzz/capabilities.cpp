// A worker's `capabilities` line: read, planned with, and its declarations judged as the census
// does.
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/census/rule/census.hpp"
#include "driver/plan/plan.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/worker_info.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

void check_declaration(const std::string& text) {
  const auto as_text = [](const class_counts& counts) {
    return to_text(std::map<std::string, double>(counts.begin(), counts.end()));
  };
  (void)ends_or_throws<std::invalid_argument>([&] {
    for (const class_counts& alternative : parse_declaration(text)) (void)as_text(alternative);
  });
}

void judge_entry(const capability& entry) {
  for (const auto& [set, text] : entry.declares) check_declaration(text);
  if (entry.symbols.size() < 2) return;
  loop_code empty;
  empty.has_loop = true;
  loop_code adds = empty;
  adds.inside = {{"lock_add", 32}, {"branch", 1}, {"move", 3}};
  for (const enum machine m : {machine::x86_64, machine::sass}) {
    const census_entry found = judge(entry, {empty, adds, adds, adds}, m, "sm_90");
    promise(found.verdict == verdict::proven || found.verdict == verdict::elided ||
                !found.reason.empty(),
            "a verdict without a reason");
  }
}

void plan_with(const worker_info& worker) {
  static const topology machine = topology::synthetic("core:2 pu:2");
  const cpu_grant grant{.allowed = {0, 1, 2, 3}};
  for (const char* const study : {"quick", "levels"}) {
    run_options options;
    options.study = study;
    (void)ends_or_throws<usage_error>([&] { (void)make_plan(options, {worker}, machine, grant); });
  }
}

}  // namespace

void capabilities(std::string_view input) {
  const nlohmann::json line = read_json(input);
  worker_info worker;
  worker.name = "it";
  worker.path = "/nowhere/syncmeter-it";
  if (!line.is_object()) return;
  read_capabilities(line, worker);
  if (!worker.problem.empty()) {
    promise(worker.backends.empty() && worker.capabilities.empty() && worker.gpus.empty(),
            "a worker with a problem offers something");
    return;
  }
  for (const capability& entry : worker.capabilities) judge_entry(entry);
  for (const auto& [name, gpus] : worker.gpus) {
    for (const gpu_device& gpu : gpus.devices)
      promise(gpu.index <= 1'000'000 && gpu.busy_percent.value_or(0) <= 100, "no such GPU");
  }
  plan_with(worker);
}

}  // namespace syncmeter::fuzz
