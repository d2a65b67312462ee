#include "driver/plan/run_option_table.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/trait_axes.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/known_backends.hpp"

namespace syncmeter {
namespace {

// How the values of options stand in the campaign line: what parse_axes makes of the command line's
// text, and back.
template <class T> nlohmann::json written_value(const T& value) {
  if constexpr (requires { to_text(value); }) return to_text(value);
  else return value;
}
template <class T> nlohmann::json written_value(const std::vector<T>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const T& value : values) list.push_back(written_value(value));
  return list;
}
template <class T> nlohmann::json written_value(const std::optional<T>& value) {
  return value ? written_value(*value) : nlohmann::json(nullptr);
}

/// Throws what nlohmann::json or parse_axes throws, the latter with `member` as the option's name.
template <class T> void read_value(const std::string&, const nlohmann::json& j, T& value) {
  value = j.get<T>();
}
void read_value(const std::string& member, const nlohmann::json& j, double& value) {
  constexpr double most = 1e9;
  value = j.get<double>();
  if (!(value >= 0 && value <= most))
    throw usage_error(fmt::format("{}: {} is not a number from 0 to {:g}", member, value, most));
}
template <class T>
void read_value(const std::string& member, const nlohmann::json& j, std::optional<T>& value) {
  value.reset();
  if (!j.is_null()) read_value(member, j, value.emplace());
}
/// A whole number, or several, as the command line's parser takes them.
template <class T>
constexpr bool is_of_counts =
    std::is_same_v<T, unsigned> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, std::optional<unsigned>> || std::is_same_v<T, std::vector<unsigned>> ||
    std::is_same_v<T, std::vector<int>>;
template <class T, class Parse>
void read_counts(const std::string& member, const nlohmann::json& j, T& value, const Parse& parse) {
  std::string text;
  for (const nlohmann::json& number : j.is_array() ? j : nlohmann::json::array({j}))
    text += (text.empty() ? "" : ",") + number.dump();
  if (j.is_null() || text.empty()) value = T{};
  else value = parse(member, text);
}

template <class T, class Parse>
void read_texts(const std::string& member, const nlohmann::json& j, std::vector<T>& values,
                Parse parse) {
  values.clear();
  for (const std::string text : j) values.push_back(parse(member, text).front());
}
template <axis_value Enum>
void read_value(const std::string& member, const nlohmann::json& j, std::vector<Enum>& values) {
  read_texts(member, j, values, names_of_axis<Enum>{"name"});
}
void read_value(const std::string& member, const nlohmann::json& j,
                std::vector<lane_range>& values) {
  read_texts(member, j, values, &parse_lanes);
}
void read_value(const std::string& member, const nlohmann::json& j,
                std::vector<block_range>& values) {
  read_texts(member, j, values, &parse_blocks);
}

// "5; on a GPU 3; in barrier with more than 128 points 3".
std::string usual_visits() {
  std::string text = fmt::format("{}; on a GPU {}", usual_cpu_visits, usual_gpu_visits);
  for (const study& s : studies()) {
    if (!s.pace || s.rules.empty()) continue;
    text += fmt::format("; in {} with more than {} points {}", s.name, s.pace->many,
                        s.pace->visits_of_many);
  }
  return text;
}

/// A field that the campaign line has as `member`.
template <auto Field> run_option kept(std::string member) {
  return {.name = "",
          .value = "",
          .help = "",
          .member = member,
          .written = [](const run_options& o) { return written_value(o.*Field); },
          .read = [member](const nlohmann::json& j,
                           run_options& o) { read_value(member, j, o.*Field); }};
}

/// An option with a value, which `parse` makes of its text.
template <auto Field, class Parse>
run_option with_value(const char* name, const char* value, std::string help, const char* member,
                      Parse parse) {
  run_option row = kept<Field>(member);
  row.name = name;
  row.value = value;
  row.help = std::move(help);
  row.values = values_of(parse);
  row.take = [parse](run_options& o, const std::string& option, const std::string& text) {
    o.*Field = parse(option, text);
  };
  // A file may have been edited: what its numbers may be is what the command line allows.
  if constexpr (is_of_counts<std::remove_cvref_t<decltype(std::declval<run_options&>().*Field)>>)
    row.read = [parse, name = row.member](const nlohmann::json& j, run_options& o) {
      read_counts(name, j, o.*Field, parse);
    };
  return row;
}
template <auto Field, class Parse>
run_option list(const char* name, std::string help, const char* member, Parse parse) {
  return with_value<Field>(name, "LIST", std::move(help), member, parse);
}

template <auto Field> run_option flag(const char* name, std::string help, const char* member) {
  run_option row = kept<Field>(member);
  row.name = name;
  row.help = std::move(help);
  row.take = [](run_options& o, const auto&, const auto&) { o.*Field = true; };
  return row;
}

auto numbers(unsigned least, unsigned most) {
  return [=](const auto& option, const auto& text) {
    return parse_numbers(option, text, least, most);
  };
}
auto count(std::uint64_t least, std::uint64_t most) {
  return [=](const auto& option, const auto& text) {
    return static_cast<unsigned>(parse_count(option, text, least, most));
  };
}

run_option of_any_campaign(run_option row) {
  row.beside_resume = true;
  return row;
}
run_option not_kept(run_option row) {
  row.member.clear();
  return row;
}

run_option study_row() {
  run_option row = kept<&run_options::study>("study");
  row.name = "study";
  row.value = "NAME";
  row.values = study_names();
  row.help = "set of points: " + join(row.values) + " (default: quick)";
  row.take = [](run_options& o, const std::string& option, const std::string& text) {
    const study* const chosen = find_study(text);
    if (chosen == nullptr) throw usage_error(unknown_name(option, "study", text, study_names()));
    o.study = text;
    take_settings_of(*chosen, o);
  };
  return row;
}

run_option max_time_row() {
  run_option row = with_value<&run_options::max_time_s>(
      "max-time", "TIME",
      "longest time for one point, over all its visits, with its unit (default: 150ms; "
      "core-to-core 30ms, quick on a GPU 55ms, paper on a GPU 30ms, handoff 300ms)",
      "max_time_s", &parse_seconds);
  row.take = [](run_options& o, const std::string& option, const std::string& text) {
    o.max_time_s = o.gpu_max_time_s = parse_seconds(option, text);
  };
  // Files from before it had a member of its own.
  row.read = [](const nlohmann::json& j, run_options& o) {
    read_value("max_time_s", j, o.max_time_s);
    o.gpu_max_time_s = o.max_time_s;
  };
  return row;
}

run_option device_row() {
  static constexpr const char* every = "all";
  run_option row = list<&run_options::devices>(
      "device",
      "GPU: index of the device; several equal ones, or all, share the points (default: 0)",
      "device", numbers(0, 1023));
  row.take = [](run_options& o, const std::string& option, const std::string& text) {
    o.devices = text == every ? std::vector<unsigned>{} : parse_numbers(option, text, 0, 1023);
  };
  row.written = [](const run_options& o) -> nlohmann::json {
    if (o.devices.empty()) return every;
    if (o.devices.size() == 1) return o.devices.front();
    return o.devices;
  };
  row.read = [](const nlohmann::json& j, run_options& o) {
    o.devices.clear();
    if (j != every) read_counts("device", j, o.devices, numbers(0, 1023));
  };
  return row;
}

std::vector<run_option> all_rows() {
  using o = run_options;
  std::vector<run_option> rows{
      list<&o::backends>(
          "backend",
          "APIs to measure (default: every backend with a worker; omp-llvm, std and posix "
          "only where there is no other, or the study compares them)",
          "backends", open_list{known_backend_names()}),
      study_row(),
      list<&o::ops>("op",
                    "ops by name; * matches any characters, as in atomic_* (default: the study's)",
                    "ops", open_list{shared_op_names()}),
      list<&o::types>("type", "int32, uint32, uint64, float, double (default: the study's)",
                      "types", names_of_axis<value_type>{"type"}),
      list<&o::placements>(
          "placement",
          "shared: all lanes use one cell; strided: each lane has its own (default: the study's)",
          "placements", names_of_axis_but_none<placement>{"placement"}),
      list<&o::lanes>("lanes",
                      "numbers of lanes (threads; on a GPU threads per block): numbers, ranges and "
                      "max, as 1,2,4-8,max (default: the study's)",
                      "lanes", &parse_lanes),
      list<&o::strides>("stride",
                        "elements between the cells of strided lanes (default: the study's; in "
                        "quick one cache line, on a GPU 1)",
                        "strides", numbers(0, 65536)),
      list<&o::base_offsets>("base-offset",
                             "CPU: bytes from the start of a cache line to the first strided cell, "
                             "0 to 4095 (default: the study's, mostly 0)",
                             "base_offsets", numbers(0, 4095)),
      list<&o::cells>("cells",
                      "CPU: number of strided cells; each is shared by equally many neighbouring "
                      "lanes (default: the study's, mostly one cell per lane)",
                      "cells", numbers(1, most_lanes)),
      list<&o::affinities>("affinity",
                           "placement of lanes on processing units: close, spread, smt, none, or "
                           "quiet, as close but on those that others used least when the run "
                           "began (default: the study's)",
                           "affinities", names_of_axis<affinity>{"affinity"}),
      list<&o::pus>(
          "pus",
          "OS numbers of processing units, one lane on each in this order, as 0,3 or 0,8-11; in "
          "the study core-to-core the pairs among them (default: set by --lanes and --affinity)",
          "pus", &parse_pus),
      list<&o::homes>("home",
                      "first, second, other. Handoff: the mailboxes are first touched on the "
                      "processing unit of the first lane, of the second, or of no lane (other). "
                      "GPU launch: the launching thread runs near the GPU (first) or far from it "
                      "(other) (default: the study's, mostly unset)",
                      "homes", names_of_axis_but_none<home>{"home"}),
      list<&o::orders>("order",
                       "memory orders, for ops that have them: unordered, relaxed, acquire, "
                       "release, acq_rel, seq_cst (default: the API's own)",
                       "orders", names_of_axis<order>{"order"}),
      list<&o::waits>(
          "wait",
          "how threads wait: active (spin) or passive (sleep) (default: active; in barrier both)",
          "waits", names_of_axis<wait_policy>{"wait policy"}),
  };
  [&rows]<std::size_t... I>(std::index_sequence<I...>) {
    (rows.push_back(list<trait_axes[I].of_user>(trait_axes[I].option, trait_axes[I].help,
                                                trait_axes[I].member,
                                                numbers(0, trait_axes[I].most))),
     ...);
  }(std::make_index_sequence<trait_axes.size()>{});
  const std::vector<run_option> further{
      list<&o::sizes>("size",
                      "for ops with a size, 1 to 1073741824: lanes of a tile, blocks of a cluster, "
                      "paths, elements, bytes, as `syncmeter list` says (default: the study's)",
                      "sizes", numbers(1, 1U << 30U)),
      list<&o::blocks>(
          "blocks",
          "GPU: blocks of the grid: numbers, ranges, sm/2, sm, 2sm (sm: the number of "
          "multiprocessors) and max (as many as are co-resident) (default: the study's)",
          "blocks", &parse_blocks),
      list<&o::scopes>("scope",
                       "GPU: memory scope: block, cluster, device, system (default: the API's own, "
                       "or the study's)",
                       "scopes", names_of_axis_but_none<scope>{"scope"}),
      list<&o::flavours>(
          "flavour",
          "GPU: API of an op: function, atomic_ref, ptx, volatile (default: the first listed)",
          "flavours", names_of_axis_but_none<flavour>{"flavour"}),
      list<&o::spaces>(
          "space",
          "GPU: memory space of the cells: global, shared_memory (default: the first listed)",
          "spaces", names_of_axis_but_none<space>{"space"}),
      list<&o::actives>(
          "active",
          "GPU: number of active lanes in each warp, 1 to 32 (default: the study's, mostly all)",
          "actives", numbers(1, 32)),
      device_row(),
      flag<&o::waves>("waves",
                      "GPU: also measure grids with more blocks than are co-resident; they run in "
                      "waves (default: off)",
                      "waves"),
      with_value<&o::precision>(
          "precision", "SHARE",
          "a visit ends when its 95 % interval is within this share of the estimate; 0.02 in "
          "barrier and core-to-core (default: 0.01, no unit)",
          "precision", &parse_share),
      max_time_row(),
      kept<&o::gpu_max_time_s>("gpu_max_time_s"),
      with_value<&o::min_sample_us>(
          "min-sample", "TIME",
          "shortest timed loop, with its unit (default: 100us; core-to-core and GPU 50us)",
          "min_sample_us",
          [](const auto& option, const auto& text) { return parse_seconds(option, text) * 1e6; }),
      with_value<&o::visits>(
          "visits", "N",
          fmt::format("number of visits to each point (default: {})", usual_visits()), "visits",
          count(1, 1000)),
      of_any_campaign(with_value<&o::budget_s>(
          "budget", "TIME",
          "stop after this time, with its unit; visits that remain are dropped (default: no limit)",
          "budget_s", &parse_seconds)),
      with_value<&o::output>("output", "FILE",
                             "results file to create, compressed if named *.zst; must not exist "
                             "(default: syncmeter-HOST-TIME.jsonl in this folder)",
                             "output", &parse_file_name),
      of_any_campaign(with_value<&o::resume>("resume", "FILE",
                                             "continue the campaign of a results file, with its "
                                             "points and settings (default: a new campaign)",
                                             "resume", &parse_file_name)),
      of_any_campaign(flag<&o::retry>(
          "retry", "with --resume: measure failed visits again (default: off)", "retry")),
      of_any_campaign(with_value<&o::csv>(
          "csv", "FILE", "also write every point as CSV (default: none)", "csv", &parse_file_name)),
      of_any_campaign(not_kept(flag<&o::force>(
          "force", "--csv may replace a file, but never results (default: off)", "force"))),
      with_value<&o::topology>("topology", "FILE",
                               "XML file written by lstopo that describes this machine; with "
                               "--dry-run, any machine (default: what hwloc finds)",
                               "topology", &parse_file_name),
      with_value<&o::seed>(
          "seed", "N", "seed for the order of points and rounds; 0: drawn at random (default: 0)",
          "seed",
          [](const auto& option, const auto& text) {
            return parse_count(option, text, 0, std::numeric_limits<std::uint64_t>::max());
          }),
      flag<&o::additivity>("additivity",
                           "also measure loops with 2 and 4 ops, and check that their costs add up "
                           "(default: off; on in study control)",
                           "additivity"),
      flag<&o::interleave_backends>(
          "interleave-backends",
          "visit points that differ only in their backend one after the other, so that drift of "
          "the machine cancels in their ratio (default: off; always so in the studies portability, "
          "barrier and locks)",
          "interleave_backends"),
      flag<&o::oversubscribe>("oversubscribe",
                              "allow more lanes than processing units; in barrier also measure one "
                              "lane more, and twice as many, in locks one more (default: off)",
                              "oversubscribe"),
      of_any_campaign(flag<&o::keep_rounds>(
          "keep-rounds",
          "keep up to 50 rounds of each visit in the results file, as measured (default: off)",
          "keep_rounds")),
      flag<&o::dry_run>("dry-run",
                        "print the points and the estimated time, measure nothing (default: off)",
                        "dry_run"),
      of_any_campaign(
          not_kept(flag<&o::wide>("wide",
                                  "print every column of the table, however narrow the terminal is "
                                  "(default: off)",
                                  "wide"))),
      of_any_campaign(not_kept(flag<&o::verbose>(
          "verbose", "print every note below the table (default: off)", "verbose"))),
      of_any_campaign(not_kept(flag<&o::list_workers>(
          "list-workers",
          "print the names of the workers that these options need, installed or not (default: off)",
          "list_workers"))),
  };
  rows.insert(rows.end(), further.begin(), further.end());
  return rows;
}

}  // namespace

void take_settings_of(const study& chosen, run_options& o) {
  const run_options usual;
  o.precision = chosen.pace ? chosen.pace->precision : usual.precision;
  o.max_time_s = chosen.pace ? chosen.pace->max_time_s : usual.max_time_s;
  o.min_sample_us = chosen.pace ? chosen.pace->min_sample_us : usual.min_sample_us;
  o.gpu_max_time_s = chosen.gpu.max_time_s.value_or(o.max_time_s);
  o.interleave_backends = chosen.counterparts_only || !chosen.also.empty();
}

const std::vector<run_option>& run_option_table() {
  static const std::vector<run_option> rows = all_rows();
  return rows;
}

}  // namespace syncmeter
