// What is known of a program, as lines of a file.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "driver/advise/advise.hpp"
#include "driver/advise/grade.hpp"
#include "driver/advise/kernel_prices.hpp"
#include "driver/advise/objects.hpp"
#include "driver/advise/run_alone.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

using json = nlohmann::json;

constexpr int schema_of_advise = 2;

json policy_of_environment() {
  json policy = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    const auto begins = [&](const char* with) { return text.starts_with(with); };
    if (equals != std::string_view::npos && (begins("OMP_") || begins("KMP_") || begins("GOMP_")))
      policy[printable(text.substr(0, equals))] = printable(text.substr(equals + 1));
  }
  return policy;
}

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json line_of_times(const interval_times& times, double events) {
  return {{"sum", times.sum_ns / events},
          {"long", times.long_ns / events},
          {"median", times.median_ns}};
}

/// Sums are those of one thread's path, over the events that were timed.
void add_times_to(json& line, const site& of) {
  const site_times& times = *of.times;
  const double threads = std::max(1U, times.threads);
  line["timed"] = times.timed;
  line["every"] = times.every;
  if (times.threads == 0) {
    const double callers = std::max(1U, of.threads);
    if (of.kind == "signal") {
      line["under_lock"] = times.under_lock;
      line["to_all"] = times.to_all;
      return;
    }
    if (of.kind == "cond_wait") {
      line["lateness_ns"] = line_of_times(times.lateness, callers);
      line["mechanism_ns"] = line_of_times(times.mechanism, callers);
      line["in_vain"] = times.in_vain;
      return;
    }
    line["call_ns"] = line_of_times(times.call, callers);
    if (is_for_lock(of)) line["held_ns"] = line_of_times(times.held, callers);
    if (of.kind == "chunk") line["work_ns"] = line_of_times(times.work, callers);
    return;
  }
  line["lateness_ns"] = line_of_times(times.lateness, threads);
  line["mechanism_ns"] = line_of_times(times.mechanism, of.kind == "region" ? 1 : threads);
  line["same_processor_share"] = same_processor_share(of);
  if (of.kind != "region") return;
  line["fork_ns"] = times.fork_ns / threads;
  line["inside_ns"] = times.inside_ns / threads;
}

json line_of_advice(const advice& of, std::size_t rank, grade how) {
  const bool withheld = how == grade::rough || how == grade::undetermined;
  std::vector<std::size_t> ids{of.site_id};
  ids.insert(ids.end(), of.more_ids.begin(), of.more_ids.end());
  json line{{"record", "advice"},
            {"rank", rank},
            {"rule", of.rule},
            {"title", title_of(of.rule)},
            {"grade", name_of(how)},
            {"sites", std::move(ids)},
            {"saves_s", {{"low", of.at_least_s}, {"high", of.at_most_s}}},
            {"run_s", of.run_s},
            {"seen_share", of.seen_share},
            {"kind", of.kind},
            {"of_setting", is_of_setting(of.rule)},
            {"proof", of.rule == "atomics" ? "samples" : "calls"},
            {"tried", nullptr},
            {"text", printable(of.cause)}};
  if (const auto study = study_of(of.rule); !study.empty()) line["study"] = study;
  if (withheld) {
    line["saves_s"] = line["run_s"] = nullptr;
    if (how == grade::rough) line["seen_share"] = nullptr;
  } else if (const auto& all = of.with_others) {
    line["with_others"] = {
        {"sites", all->sites}, {"low", all->low_s}, {"high", all->high_s}, {"run_s", all->run_s}};
  }
  if (!of.tried) return line;
  line["tried"] = {{"low", of.tried->low_s}, {"high", of.tried->high_s}};
  if (of.tried->is_shown) line["proof"] = "tried";
  return line;
}

json line_of_price(const price& of) {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  json line{{"record", "price"},
            {"op", of.what.op},
            {"backend", of.what.backend},
            {"lanes", of.what.lanes},
            {"section_ns", of.what.section_ns},
            {"size", of.what.size == 0 ? json(nullptr) : json(of.what.size)},
            {"gap_us", of.what.gap_us},
            {"placement", to_text(of.what.affinity)},
            {"wait", policy == nullptr ? json(nullptr) : json(printable(policy))},
            {"estimate", of.cost_ns.value},
            {"low", of.cost_ns.low},
            {"high", of.cost_ns.high},
            {"when", of.after_run == 0 ? json(nullptr) : json(of.after_run)}};
  if (of.what.blocks > 0) line["blocks"] = of.what.blocks;
  if (of.equal_work_s > 0) line["measured_s"] = of.equal_work_s;
  if (of.is_disturbed) line["disturbed"] = true;
  for (const slowed_work& each : of.narrow)
    line["narrow"].push_back(
        {{"pu", each.pu}, {"fast_ns", each.fast_ns}, {"mean_ns", each.mean_ns}});
  return line;
}

json line_of_update(const update_use& of) {
  json line{{"offset", of.offset},
            {"operation", text_or_null(of.operation)},
            {"place", text_or_null(printable(of.place))},
            {"updates", of.updates},
            {"warp_addresses", of.warp_addresses}};
  if (of.in_shared_memory) {
    line["shared_memory"] = true;
    return line;
  }
  line["addresses"] = of.addresses;
  line["hottest"] = of.hottest;
  line["hottest_warps"] = of.hottest_warps;
  line["uncounted"] = of.uncounted;
  return line;
}

/// `least_s` only where something of it has a price.
json line_of_kernel(const kernel_use& of, std::size_t id, std::size_t site_id,
                    const std::vector<price>& prices) {
  json instructions = json::array();
  for (const update_use& each : of.by_instruction) instructions.push_back(line_of_update(each));
  json line{{"record", "kernel"},
            {"id", id},
            {"name", printable(of.name)},
            {"site", site_id},
            {"launches", of.launches},
            {"blocks", of.blocks},
            {"block_threads", of.block_threads},
            {"updates", of.updates},
            {"addresses", of.addresses},
            {"hottest", of.hottest},
            {"hottest_warps", of.hottest_warps},
            {"shared_updates", shared_updates(of)},
            {"barriers", of.barriers},
            {"cluster_waits", of.cluster_waits},
            {"object_waits", of.object_waits},
            {"instructions", std::move(instructions)}};
  if (of.is_at_least()) line["at_least"] = true;
  if (const double least_s = floors_of(of, prices).least_s(); least_s > 0)
    line["least_s"] = least_s;
  return line;
}

void add_kernels_to(std::vector<json>& lines, const std::vector<site>& sites,
                    const std::vector<price>& prices) {
  std::size_t id = 0;
  for (std::size_t i = 0; i < sites.size(); ++i)
    for (const kernel_use& each : sites[i].kernels)
      lines.push_back(line_of_kernel(each, ++id, i + 1, prices));
}

/// The calls for one lock at one call site.
json line_of_use(const lock_use& of, std::size_t call_site) {
  const auto if_timed = [&](double value) { return of.timed > 0 ? json(value) : json(nullptr); };
  return {{"call_site", call_site},
          {"calls", of.count},
          {"timed", of.timed},
          {"every", of.every},
          {"contended", of.contended},
          {"call_ns", if_timed(of.for_all_calls(of.call_ns))},
          {"contended_call_ns", if_timed(of.for_all_calls(of.contended_call_ns))},
          {"held_ns", if_timed(of.for_all_calls(of.held_ns))},
          {"short_held_ns", if_timed(of.short_held_ns)}};
}

/// Times are sums over all threads and the whole run; null if no call was timed.
json line_of_lock(const lock_object& of, std::size_t id, const std::vector<site>& sites,
                  double wall_s) {
  const auto if_timed = [&](double value) { return of.timed > 0 ? json(value) : json(nullptr); };
  json call_sites = json::array(), uses = json::array();
  std::uint64_t waits = 0;
  for (const std::size_t call_site : of.ids) {
    if (!is_for_lock(sites[call_site - 1])) {
      waits += sites[call_site - 1].locks.at(of.number).count;
      continue;
    }
    call_sites.push_back(call_site);
    uses.push_back(line_of_use(sites[call_site - 1].locks.at(of.number), call_site));
  }
  json line{
      {"record", "lock"},
      {"id", id},
      {"kind", of.kind},
      {"call_sites", std::move(call_sites)},
      {"acquisitions", of.acquisitions},
      {"owner_changes", of.owner_changes ? json(std::llround(*of.owner_changes)) : json(nullptr)},
      {"timed", of.timed},
      {"contended", of.contended},
      {"hidden", of.hidden},
      {"call_ns", if_timed(of.call_ns)},
      {"held_ns", if_timed(of.held_ns)},
      {"exclusive_ns", if_timed(of.exclusive_ns)},
      {"short_held_ns", if_timed(of.short_held_ns)},
      {"utilization", if_timed(of.exclusive_ns * 1e-9 / wall_s)},
      {"uses", std::move(uses)}};
  if (waits > 0) line["waits"] = waits;
  if (!of.threads.empty()) line["threads"] = of.threads.size();
  return line;
}

/// One form of a lock's model: a time for each round. A change that failed has no times.
json line_of_model(const lock_model& of, std::size_t lock) {
  json line{{"record", "model"},
            {"lock", lock},
            {"form", form_text(of.form)},
            {"program_s", of.program_s},
            {"as_is_s", of.as_is_s}};
  for (const auto& [name, times] :
       {std::pair{"private_s", &of.private_s}, std::pair{"atomic_s", &of.atomic_s},
        std::pair{"shards_s", &of.shards_s}})
    if (!times->empty()) line[name] = *times;
  return line;
}

/// Of one thread's path, as far as the times are those of the program.
void add_cost_to(json& line, const site& of) {
  const auto cost = cost_of(of);
  if (!cost) return;
  const bool meets = of.times->threads > 0 || of.kind == "cond_wait";
  if (meets) line["takes_s"] = {{"lateness", cost->lateness_s}, {"mechanism", cost->mechanism_s}};
  else if (is_for_lock(of)) line["takes_s"] = {{"call", cost->call_s}, {"held", cost->held_s}};
  else if (of.kind == "chunk") line["takes_s"] = {{"call", cost->call_s}, {"work", cost->work_s}};
  else line["takes_s"] = {{"call", cost->call_s}};
}

/// Also where no saving is named: whether threads come late is judged by these.
json lines_of_runs(const std::vector<site_cost>& costs) {
  json lines = json::array();
  for (const site_cost& of : costs) {
    json line{{"run", of.run}, {"lateness", of.lateness_s}, {"mechanism", of.mechanism_s}};
    if (of.is_disturbed) line["disturbed"] = true;
    lines.push_back(std::move(line));
  }
  return lines;
}

json line_of_run(const program_run& run) {
  const bool is_switch_known = run.voluntary_switches.has_value();
  json line{
      {"arm", run.arm},
      {"wall_s", run.wall_s},
      {"user_s", run.user_s},
      {"system_s", run.system_s},
      {"exit",
       WIFSIGNALED(run.wait_status) ? -WTERMSIG(run.wait_status) : WEXITSTATUS(run.wait_status)},
      {"other_cpu_share", run.other_cpu_share ? json(*run.other_cpu_share) : json(nullptr)},
      {"stolen_cpu_share", run.stolen_cpu_share ? json(*run.stolen_cpu_share) : json(nullptr)},
      {"voluntary_switches", is_switch_known ? json(*run.voluntary_switches) : json(nullptr)},
      {"involuntary_switches", is_switch_known ? json(run.involuntary_switches) : json(nullptr)}};
  if (run.run_delay_s) line["run_delay_s"] = *run.run_delay_s;
  if (run.cuda_span_s) line["cuda_span_s"] = *run.cuda_span_s;
  if (run.lock_call_share) line["lock_call_share"] = *run.lock_call_share;
  return line;
}

json line_of_site(const site& of, std::size_t id) {
  json frames = json::array();
  for (const source_frame& frame : of.frames)
    frames.push_back({{"function", text_or_null(printable(frame.function))},
                      {"file", text_or_null(printable(frame.file))},
                      {"line", frame.line == 0 ? json(nullptr) : json(frame.line)}});
  json line{{"record", "call_site"},
            {"id", id},
            {"kind", of.kind},
            {"module", text_or_null(printable(of.module))},
            {"offset", of.offset},
            {"frames", std::move(frames)},
            {"where", printable(where_text(of))},
            {"team", of.team == 0 ? json(nullptr) : json(of.team)},
            {"count", of.count == 0 ? json(nullptr) : json(of.count)},
            {"threads", of.threads == 0 ? json(nullptr) : json(of.threads)}};
  if (of.label && !of.label->text.empty()) line["label"] = printable(label_text(of));
  if (!of.operation.empty()) {
    line["operation"] = of.operation;
    line["copies"] = of.copies;
  }
  if (!of.architecture.empty()) {
    line["architecture"] = printable(of.architecture);
    line["in_loop"] = of.in_loop;
  }
  if (of.samples) {
    line["samples"] = of.samples->taken;
    line["share"] = of.samples->share;
    line["path_share"] = of.samples->path_share;
  }
  if (of.times) add_times_to(line, of);
  if (!of.cost_of_runs.empty()) line["timed_runs"] = lines_of_runs(of.cost_of_runs);
  if (of.device)
    line["device"] = {{"works", of.device->works},
                      {"busy_ns", line_of_times(of.device->busy, 1)},
                      {"idle_ns", line_of_times(of.device->idle, 1)}};
  return line;
}

}  // namespace

std::vector<json> advice_lines(const program_counts& of) {
  json runs = json::array();
  for (const program_run& run : of.runs) runs.push_back(line_of_run(run));
  json words = json::array();
  for (const std::string& word : of.command) words.push_back(printable(word));
  json header{{"record", "advise"},
              {"schema", schema_of_advise},
              {"version", SM_VERSION},
              {"command", std::move(words)},
              {"program",
               {{"path", printable(of.file.path)},
                {"build_id", text_or_null(of.file.build_id)},
                {"interp", text_or_null(printable(of.file.interpreter))},
                {"runtimes", of.file.runtimes}}},
              {"runs", std::move(runs)},
              {"counting_cost", nullptr},
              {"processes", of.of_last_run.processes},
              {"lost_calls", of.of_last_run.lost_calls},
              {"sampling", nullptr},
              {"policy", policy_of_environment()},
              {"quota", nullptr},
              {"notes", sentences_of(of)},
              {"conclusion", text_or_null(conclusion_of(of))}};
  if (of.of_last_run.gpu_processes > 0) header["gpu_processes"] = of.of_last_run.gpu_processes;
  if (const auto cost = cost_of_counting(of.runs))
    header["counting_cost"] = {{"ratio", cost->ratio}, {"low", cost->low}, {"high", cost->high}};
  if (of.sampled)
    header["sampling"] = {{"period_ns", of.sampled->period_ns},
                          {"samples", of.sampled->samples},
                          {"lost", of.sampled->lost},
                          {"threads_at_work", of.sampled->threads_at_work}};
  if (const auto quota = read_cpu_grant().quota_cpus) header["quota"] = *quota;
  const advice_setting here = setting_of_run();
  header["cpus"] = here.usable_pus;
  header["threads"] = most_threads(of.of_last_run.sites);
  header["uncontended_lock_ns"] = costs_of_stamps().lock_pair_ns;
  header["perturbed"] = counts_stand_alone(of);
  header["not_counted"] = json::array();
  if (const std::string why = why_not_counted(of); !why.empty())
    header["not_counted"].push_back(why);
  header["withheld"] = text_or_null(why_withheld(of));
  std::vector<json> lines{std::move(header)};
  const program_run* const timed = of.timed_run();
  const meeting_pace pace = pace_of(of.of_last_run.sites, timed == nullptr ? 0 : timed->wall_s);
  for (const site& each : of.of_last_run.sites) {
    json line = line_of_site(each, lines.size());
    if (may_show_shares(of)) add_cost_to(line, each);
    if (const auto cost = price_of(each, pace, of.prices))
      line["price_ns"] = {{"value", cost->value}, {"low", cost->low}, {"high", cost->high}};
    lines.push_back(std::move(line));
  }
  add_kernels_to(lines, of.of_last_run.sites, of.prices);
  for (std::size_t i = 0; i < of.objects.size(); ++i)
    lines.push_back(line_of_lock(of.objects[i], i + 1, of.of_last_run.sites, timed->wall_s));
  for (const auto& [number, model] : of.models) {
    const auto lock = std::ranges::find(of.objects, number, &lock_object::number);
    if (lock != of.objects.end())
      lines.push_back(
          line_of_model(model, static_cast<std::size_t>(lock - of.objects.begin()) + 1));
  }
  for (const price& each : of.prices) lines.push_back(line_of_price(each));
  for (std::size_t i = 0; i < of.advices.size(); ++i)
    lines.push_back(line_of_advice(of.advices[i], i + 1, grade_of(of.advices[i], of)));
  return lines;
}

}  // namespace syncmeter
